import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, SCHEMA } from '#database';
import { DIVIDE_RESERVATION } from './divide-reservation.sql.js';

/** Function that divides a reservation, which a process made in advance, among the requests that use it. */
export class DividedReservationsMigration0547 extends Migration {
  override up(): void {
    const [signature, definition] = DIVIDE_RESERVATION;
    const [name] = signature.split('(');
    this.addSql(`create function ${SCHEMA}.${signature} ${definition}`);
    this.addSql(`revoke all on function ${SCHEMA}.${name} from public`);
    this.addSql(`grant execute on function ${SCHEMA}.${name} to ${APP_ROLE}`);
  }
}

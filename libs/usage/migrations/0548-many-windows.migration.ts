import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, SCHEMA } from '#database';
import { RESERVE_MANY_WINDOWS } from './reserve-many-windows.sql.js';

/** Function that reserves for requests that need many windows together, with fewer statements. */
export class ManyWindowsMigration0548 extends Migration {
  override up(): void {
    const [signature, definition] = RESERVE_MANY_WINDOWS;
    const [name] = signature.split('(');
    this.addSql(`create function ${SCHEMA}.${signature} ${definition}`);
    this.addSql(`revoke all on function ${SCHEMA}.${name} from public`);
    this.addSql(`grant execute on function ${SCHEMA}.${name} to ${APP_ROLE}`);
  }
}

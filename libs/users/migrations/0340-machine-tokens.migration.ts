import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** Whether a planned offboarding also revokes the machine tokens that the person made. */
export class MachineTokensMigration0340 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.users add column departure_ends_machine_tokens boolean not null default false`);
  }
}

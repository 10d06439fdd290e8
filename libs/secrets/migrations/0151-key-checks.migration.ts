import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, SCHEMA } from '#database';

/** Check values of the installation's keys. The app can only add check values. */
export class KeyChecksMigration0151 extends Migration {
  override up(): void {
    this.addSql(`create table ${SCHEMA}.key_checks (
      key_id text primary key check (key_id <> ''),
      value bytea not null check (length(value) = 32),
      noted_at timestamptz not null default now())`);
    this.addSql(`grant select, insert on ${SCHEMA}.key_checks to ${APP_ROLE}`);
  }
}

import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, SCHEMA } from '#database';

// Hops from key id to key id along the index: as many steps as there are key ids, however many organizations there are.
const KEY_IDS = `
with recursive ids as (
  (select h.key_id from ${SCHEMA}.audit_heads h where h.key_id is not null order by h.key_id limit 1)
  union all
  select (select h.key_id from ${SCHEMA}.audit_heads h where h.key_id > ids.key_id order by h.key_id limit 1)
  from ids where ids.key_id is not null)
select ids.key_id from ids where ids.key_id is not null`;

/** Seals of the heads of audit logs: an HMAC under a key of the keyring, which the database never sees. */
export class AuditSealsMigration0240 extends Migration {
  override up(): void {
    const statements = [
      // Null where the head was written without the keyring: the log then counts as broken until an operator seals it.
      `alter table ${SCHEMA}.audit_heads add column key_id text, add column mac bytea,
        add constraint audit_heads_seal check ((key_id is null) = (mac is null))`,
      `create index audit_heads_by_key on ${SCHEMA}.audit_heads (key_id) where key_id is not null`,
      ...crossOrganizationFunction(
        'audit_head_key_ids()',
        `returns setof text language sql stable security definer set search_path = pg_catalog, pg_temp
         as $$ ${KEY_IDS} $$`,
        { audit_heads: ['key_id'] },
      ),
      ...crossOrganizationFunction(
        'audit_heads_not_under(writing_key text)',
        `returns setof uuid language sql stable security definer set search_path = pg_catalog, pg_temp
         as $$ select h.org_id from ${SCHEMA}.audit_heads h where h.key_id <> writing_key order by h.org_id $$`,
        { audit_heads: ['org_id', 'key_id'] },
      ),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}

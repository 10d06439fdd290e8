import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, protectTable, SCHEMA } from '#database';

// Selects the distinct key ids with one index lookup per key id. The cost depends on the number of key ids, not on the
// number of secrets.
const KEY_IDS = `
with recursive ids as (
  (select s.key_id from ${SCHEMA}.secrets s order by s.key_id limit 1)
  union all
  select (select s.key_id from ${SCHEMA}.secrets s where s.key_id > ids.key_id order by s.key_id limit 1)
  from ids where ids.key_id is not null)
select ids.key_id from ids where ids.key_id is not null`;

/** Encrypted secrets, with the ids of their keys. */
export class SecretsMigration0150 extends Migration {
  override up(): void {
    const statements = [
      `create table ${SCHEMA}.secrets (
        org_id uuid not null,
        owner text not null check (owner <> ''),
        owner_id uuid not null,
        name text not null check (name <> ''),
        key_id text not null check (key_id <> ''),
        ciphertext bytea not null,
        primary key (org_id, owner, owner_id, name))`,
      // Index to find the key ids of all organizations, which every boot reads.
      `create index secrets_by_key on ${SCHEMA}.secrets (key_id)`,
      ...protectTable('secrets', 'select, insert, update, delete'),
      ...crossOrganizationFunction(
        'secret_key_ids()',
        `returns setof text language sql stable security definer set search_path = pg_catalog, pg_temp
         as $$ ${KEY_IDS} $$`,
        { secrets: ['key_id'] },
      ),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}

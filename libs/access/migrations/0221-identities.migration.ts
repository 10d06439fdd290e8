import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** Accounts at identity providers, linked to users. */
export class IdentitiesMigration0221 extends Migration {
  override up(): void {
    const statements = [
      `create table ${SCHEMA}.identities (
        org_id uuid not null references ${SCHEMA}.organizations (id),
        id uuid not null,
        issuer text collate "C" not null,
        subject text collate "C" not null check (char_length(subject) between 1 and 255),
        user_id uuid not null,
        linked_at timestamptz not null,
        ended_at timestamptz,
        primary key (org_id, id),
        constraint identities_of_account unique (org_id, issuer, subject))`,
      `create unique index identities_of_user on ${SCHEMA}.identities (org_id, user_id, issuer)
       where ended_at is null`,
      `create index identities_listed on ${SCHEMA}.identities (org_id, user_id, id)`,
      ...protectTable('identities', 'select, insert, update, delete'),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}

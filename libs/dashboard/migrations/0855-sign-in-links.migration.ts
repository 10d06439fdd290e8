import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** Single-use links that sign a browser in. */
export class DashboardMigration0855 extends Migration {
  override up(): void {
    const statements = [
      `create table ${SCHEMA}.dashboard_sign_in_links (
        org_id uuid not null references ${SCHEMA}.organizations (id),
        id uuid not null,
        code_hash bytea not null check (octet_length(code_hash) = 32),
        token_id uuid not null,
        expires_at timestamptz not null,
        primary key (org_id, id),
        unique (org_id, code_hash),
        foreign key (org_id, token_id) references ${SCHEMA}.access_tokens (org_id, id))`,
      `create index dashboard_sign_in_links_of_token on ${SCHEMA}.dashboard_sign_in_links (org_id, token_id)`,
      `create index dashboard_sign_in_links_by_expiry on ${SCHEMA}.dashboard_sign_in_links (org_id, expires_at)`,
      ...protectTable('dashboard_sign_in_links', 'select, insert, delete'),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}

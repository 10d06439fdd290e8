import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** The versions of policies, one for each change. */
export class PolicyVersionsMigration0420 extends Migration {
  override up(): void {
    // There is no foreign key to the policy, because the history remains when its policy is deleted. Rows are never
    // changed.
    this.addSql(`create table ${SCHEMA}.policy_versions (
      org_id uuid not null,
      policy_id uuid not null,
      version integer not null check (version > 0),
      revision bigint not null,
      change text not null check (change in ('created', 'updated', 'restored', 'deleted')),
      restored_version integer,
      changed_fields text[] not null,
      content jsonb not null check (jsonb_typeof(content) = 'object'),
      action text generated always as (content ->> 'action') stored,
      enabled boolean generated always as ((content ->> 'enabled')::boolean) stored,
      policy_created_at timestamptz not null,
      changed_at timestamptz not null,
      changed_by jsonb not null,
      primary key (org_id, policy_id, version),
      constraint policy_versions_restored check ((change = 'restored') = (restored_version is not null)))`);
    this.addSql(protectTable('policy_versions', 'select, insert, update (content, changed_by)').join(';'));
  }
}

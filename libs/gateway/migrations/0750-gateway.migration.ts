import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/**
 * Providers that the gateway calls. Their keys are stored encrypted in the vault, with the owner `gateway_providers`
 * and the provider's id.
 */
export class GatewayMigration0750 extends Migration {
  override up(): void {
    this.addSql(`create table ${SCHEMA}.gateway_providers (
      org_id uuid not null,
      id uuid not null,
      name text not null check (char_length(name) between 1 and 64),
      kind text not null,
      base_url text not null,
      active boolean not null,
      key_set_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create unique index gateway_providers_name on ${SCHEMA}.gateway_providers (org_id, name)`);
    for (const statement of protectTable('gateway_providers', 'select, insert, update, delete')) this.addSql(statement);
  }
}

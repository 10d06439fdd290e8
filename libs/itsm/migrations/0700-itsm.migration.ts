import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** Connectors to ticket platforms, the ledger of tickets, what platforms may report, and people behind chat accounts. */
export class ItsmMigration0700 extends Migration {
  override up(): void {
    this.connectors();
    this.tickets();
    this.inbound();
    this.chat();
  }

  // Secrets are not here: they are sealed in the vault, under owner `itsm_connectors` and this id. While there is a
  // problem, nothing is sent before `problem_until`; who moves that time on tries.
  private connectors(): void {
    this.addSql(`create table ${SCHEMA}.itsm_connectors (
      org_id uuid not null,
      id uuid not null,
      kind text not null,
      name text not null check (char_length(name) between 1 and 255),
      active boolean not null,
      settings jsonb not null,
      secret_names text[] not null,
      revision integer not null default 1,
      problem_code text,
      problem_message text,
      problem_since timestamptz,
      problem_until timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create unique index itsm_connectors_name on ${SCHEMA}.itsm_connectors (org_id, lower(name))`);
    this.protect('itsm_connectors', 'select, insert, update, delete');
  }

  // Reserved before the platform is called. A ticket outlives its connector.
  private tickets(): void {
    this.addSql(`create table ${SCHEMA}.tickets (
      org_id uuid not null,
      id uuid not null,
      incident_id uuid,
      connector_id uuid not null,
      kind text not null,
      origin text not null check (origin in ('automatic', 'manual', 'chat', 'test')),
      event_id uuid,
      draft jsonb not null,
      sync_state text not null check (sync_state in ('pending', 'created', 'rejected', 'uncertain')),
      attempts integer not null default 0,
      external_ticket_id text,
      platform_id text,
      url text,
      status text check (status in ('open', 'in_progress', 'resolved', 'closed')),
      status_at timestamptz,
      degraded text[] not null default '{}',
      error_code text,
      error text,
      error_fields jsonb,
      resolution text,
      notes text,
      updated_by text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create unique index tickets_of_incident on ${SCHEMA}.tickets (org_id, incident_id, connector_id)`);
    this.addSql(`create index tickets_external on ${SCHEMA}.tickets (org_id, external_ticket_id)
      where external_ticket_id is not null`);
    this.addSql(`create index tickets_of_connector on ${SCHEMA}.tickets (org_id, connector_id, id)`);
    this.addSql(
      `create index tickets_unsettled on ${SCHEMA}.tickets (org_id, sync_state, id) where sync_state <> 'created'`,
    );
    this.addSql(`create index tickets_of_event on ${SCHEMA}.tickets (org_id, event_id) where event_id is not null`);
    this.protect('tickets', 'select, insert, update');
  }

  private inbound(): void {
    this.addSql(`create table ${SCHEMA}.itsm_inbound_settings (
      org_id uuid not null primary key,
      allowed_networks text[] not null,
      updated_at timestamptz not null)`);
    this.protect('itsm_inbound_settings', 'select, insert, update');
    // Reports of tickets whose creation has not been heard of yet. They wait while one is under way, and a few at most.
    this.addSql(`create table ${SCHEMA}.itsm_parked_updates (
      org_id uuid not null,
      id uuid not null,
      external_ticket_id text not null,
      update jsonb not null,
      received_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(
      `create index itsm_parked_updates_ticket on ${SCHEMA}.itsm_parked_updates (org_id, external_ticket_id)`,
    );
    this.protect('itsm_parked_updates', 'select, insert, delete');
  }

  private chat(): void {
    this.addSql(`create table ${SCHEMA}.chat_workspaces (
      org_id uuid not null,
      id uuid not null,
      platform text not null,
      workspace text not null,
      created_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create unique index chat_workspaces_name on ${SCHEMA}.chat_workspaces (org_id, platform, workspace)`);
    // Several organizations may name one workspace; whose it is, the signature of a command tells.
    this.addSql(`create index chat_workspaces_found on ${SCHEMA}.chat_workspaces (platform, workspace)`);
    this.protect('chat_workspaces', 'select, insert, update, delete');
    this.addSql(`create table ${SCHEMA}.chat_links (
      org_id uuid not null,
      platform text not null,
      workspace text not null,
      account text not null,
      user_id uuid not null,
      created_at timestamptz not null,
      primary key (org_id, platform, workspace, account))`);
    this.protect('chat_links', 'select, insert, delete');
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}

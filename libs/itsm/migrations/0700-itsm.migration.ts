import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, protectTable, SCHEMA } from '#database';

/** Connectors, tickets, inbound settings, chat workspaces and links. */
export class ItsmMigration0700 extends Migration {
  override up(): void {
    this.connectors();
    this.tickets();
    this.inbound();
    this.chat();
  }

  // The secrets are in the vault, with the owner `itsm_connectors` and the id of the connector. During a problem,
  // nothing is sent before `problem_until`. The worker that moves this time forward is the one that probes the
  // platform.
  private connectors(): void {
    this.addSql(`create table ${SCHEMA}.itsm_connectors (
      org_id uuid not null,
      id uuid not null,
      kind text not null,
      name text not null check (char_length(name) between 1 and 255),
      active boolean not null,
      settings jsonb not null,
      routing jsonb not null default '{}' check (jsonb_typeof(routing) = 'object'),
      secret_names text[] not null,
      revision integer not null default 1,
      problem_code text,
      problem_message text,
      problem_since timestamptz,
      problem_until timestamptz,
      field_refusals integer not null default 0,
      reconciled_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create unique index itsm_connectors_name on ${SCHEMA}.itsm_connectors (org_id, lower(name))`);
    this.protect('itsm_connectors', 'select, insert, update, delete');
    const due = crossOrganizationFunction(
      'connectors_to_reconcile(kinds text[], before timestamptz, most integer)',
      `returns table (org_id uuid, id uuid)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select c.org_id, c.id from ${SCHEMA}.itsm_connectors c
             where c.active and c.kind = any (kinds) and (c.reconciled_at is null or c.reconciled_at <= before)
             order by c.reconciled_at nulls first, c.org_id, c.id limit most $$`,
      { itsm_connectors: ['org_id', 'id', 'kind', 'active', 'reconciled_at'] },
    );
    for (const statement of due) this.addSql(statement);
  }

  // A row is inserted before a request is sent to the platform, and outlives its connector. `unanswered` is the number
  // of create requests whose outcome is unknown: it is incremented before each request, and decremented when the
  // outcome is known. `told` is the state of the incident that was last reported to the platform. `change` is a change
  // whose outcome is unknown. `matter` is the key of incidents that share a ticket. `follows` is the ticket of the
  // previous incident with this key.
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
      unanswered integer not null default 0,
      external_ticket_id text,
      platform_id text,
      url text,
      status text check (status in ('open', 'in_progress', 'resolved', 'closed')),
      status_at timestamptz,
      reported_at timestamptz,
      reported_event text,
      degraded text[] not null default '{}',
      error_code text,
      error text,
      error_fields jsonb,
      resolution text,
      notes text,
      updated_by text,
      matter text,
      follows uuid,
      told jsonb check (jsonb_typeof(told) = 'object'),
      change jsonb check (jsonb_typeof(change) = 'object'),
      change_error text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create unique index tickets_of_incident on ${SCHEMA}.tickets (org_id, incident_id, connector_id)`);
    this.addSql(`create index tickets_external on ${SCHEMA}.tickets (org_id, external_ticket_id)
      where external_ticket_id is not null`);
    // The id of a ticket on the platform stays the same when the ticket is renamed.
    this.addSql(`create index tickets_platform_id on ${SCHEMA}.tickets (org_id, platform_id)
      where platform_id is not null`);
    this.addSql(`create index tickets_of_matter on ${SCHEMA}.tickets (org_id, connector_id, matter, id)
      where matter is not null and sync_state = 'created'`);
    this.addSql(`create index tickets_following on ${SCHEMA}.tickets (org_id, follows) where follows is not null`);
    this.addSql(`create index tickets_of_connector on ${SCHEMA}.tickets (org_id, connector_id, id)`);
    this.addSql(
      `create index tickets_unsettled on ${SCHEMA}.tickets (org_id, sync_state, id) where sync_state <> 'created'`,
    );
    // Index for queries of recent changes.
    this.addSql(`create index tickets_changed on ${SCHEMA}.tickets (org_id, updated_at)`);
    this.addSql(`create index tickets_of_event on ${SCHEMA}.tickets (org_id, event_id) where event_id is not null`);
    this.protect('tickets', 'select, insert, update');
  }

  private inbound(): void {
    this.addSql(`create table ${SCHEMA}.itsm_inbound_settings (
      org_id uuid not null primary key,
      allowed_networks text[] not null,
      updated_at timestamptz not null)`);
    this.protect('itsm_inbound_settings', 'select, insert, update, delete');
    // Reports about tickets that are not stored yet. They are kept only while a create is in flight, and limited in
    // number.
    this.addSql(`create table ${SCHEMA}.itsm_parked_updates (
      org_id uuid not null,
      seq bigint generated by default as identity,
      external_ticket_id text not null,
      connector_id uuid,
      kind text,
      update jsonb not null,
      source jsonb not null,
      received_at timestamptz not null,
      primary key (org_id, seq))`);
    this.addSql(
      `create index itsm_parked_updates_ticket on ${SCHEMA}.itsm_parked_updates (org_id, external_ticket_id)`,
    );
    this.protect('itsm_parked_updates', 'select, insert, delete');
    this.addSql(`create index tickets_under_way on ${SCHEMA}.tickets (org_id, connector_id)
      where external_ticket_id is null and sync_state in ('pending', 'uncertain')`);
    // The latest reports of each ticket by event id, to detect duplicates.
    this.addSql(`create table ${SCHEMA}.itsm_report_events (
      org_id uuid not null,
      ticket_id uuid not null,
      event_hash bytea not null check (octet_length(event_hash) = 32),
      received_at timestamptz not null,
      primary key (org_id, ticket_id, event_hash))`);
    this.protect('itsm_report_events', 'select, insert, delete');
  }

  // The signing and notification secrets are in the vault, with the owner `chat_workspaces` and the workspace's id.
  private chat(): void {
    this.addSql(`create table ${SCHEMA}.chat_workspaces (
      org_id uuid not null,
      id uuid not null,
      platform text not null,
      workspace text not null,
      secret_names text[] not null default '{}',
      notifications jsonb not null default '{}' check (jsonb_typeof(notifications) = 'object'),
      problem jsonb,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create unique index chat_workspaces_name on ${SCHEMA}.chat_workspaces (org_id, platform, workspace)`);
    this.addSql(`create index chat_workspaces_found on ${SCHEMA}.chat_workspaces (platform, workspace)`);
    this.protect('chat_workspaces', 'select, insert, update, delete');
    // Several organizations may register the same workspace. The signature of a command decides which one it is for.
    const lookup = crossOrganizationFunction(
      'chat_workspaces_of(wanted_platform text, wanted_workspace text)',
      `returns table (org_id uuid, id uuid)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select w.org_id, w.id from ${SCHEMA}.chat_workspaces w
             where w.platform = wanted_platform and w.workspace = wanted_workspace
             order by w.created_at, w.id limit 100 $$`,
      { chat_workspaces: ['org_id', 'id', 'platform', 'workspace', 'created_at'] },
    );
    for (const statement of lookup) this.addSql(statement);
    this.addSql(`create table ${SCHEMA}.chat_links (
      org_id uuid not null,
      id uuid not null,
      platform text not null,
      workspace text not null,
      account text not null,
      user_id uuid not null,
      role text not null check (role in ('member', 'auditor', 'admin')),
      created_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(
      `create unique index chat_links_account on ${SCHEMA}.chat_links (org_id, platform, workspace, account)`,
    );
    // Index with which the chat links of a user who leaves are found.
    this.addSql(`create index chat_links_of_user on ${SCHEMA}.chat_links (org_id, user_id)`);
    this.protect('chat_links', 'select, insert, delete');
    // Commands of the last hour, with which repetitions are ignored and pending answers are sent. Anyone who has the
    // reply URL can post in the chat. Therefore, it is in the vault, with the owner `chat_commands` and the command's
    // id.
    this.addSql(`create table ${SCHEMA}.chat_commands (
      org_id uuid not null,
      id uuid not null,
      request_hash bytea not null check (octet_length(request_hash) = 32),
      platform text not null,
      workspace text not null,
      account text not null,
      text text not null,
      stage text not null check (stage in ('running', 'owed', 'answered')),
      reply text,
      ticket_id uuid,
      request_id text,
      address text,
      created_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create unique index chat_commands_once on ${SCHEMA}.chat_commands (org_id, request_hash)`);
    this.addSql(`create index chat_commands_age on ${SCHEMA}.chat_commands (org_id, created_at)`);
    this.protect('chat_commands', 'select, insert, update, delete');
    this.notices();
  }

  // Notifications of the last months. `ref` identifies the message on the platform. While `shown` is less than
  // `version`, the message shows an older state of its subject.
  private notices(): void {
    this.addSql(`create table ${SCHEMA}.chat_notices (
      org_id uuid not null,
      id uuid not null,
      workspace_id uuid not null,
      subject text not null check (subject in ('incident', 'approval')),
      subject_id uuid not null,
      state text not null,
      stage text not null check (stage in ('pending', 'sent', 'failed')),
      version integer not null default 1,
      shown integer not null default 0,
      ref text,
      error text,
      created_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create unique index chat_notices_once on ${SCHEMA}.chat_notices (org_id, subject_id, workspace_id)`);
    this.addSql(`create index chat_notices_of_workspace on ${SCHEMA}.chat_notices (org_id, workspace_id, created_at)`);
    this.protect('chat_notices', 'select, insert, update, delete');
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}

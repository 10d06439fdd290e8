import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, protectTable, SCHEMA } from '#database';
import { RAISE_INCIDENTS } from './raise-incidents.sql.js';

/** Creates incidents, their occurrences and their timeline entries. */
export class IncidentsMigration0350 extends Migration {
  override up(): void {
    this.incidents();
    this.occurrences();
    this.entries();
    this.addSql(`create function ${SCHEMA}.${RAISE_INCIDENTS[0]} ${RAISE_INCIDENTS[1]}`);
    this.addSql(`revoke all on function ${SCHEMA}.raise_incidents from public`);
    this.addSql(`grant execute on function ${SCHEMA}.raise_incidents to ${APP_ROLE}`);
  }

  // Rows are updated with every batch of occurrences, so free space is left on each page.
  private incidents(): void {
    this.addSql(`create table ${SCHEMA}.incidents (
      org_id uuid not null,
      id uuid not null,
      type text not null,
      severity text not null check (severity in ('critical', 'high', 'medium', 'low')),
      status text not null check (status in ('open', 'acknowledged', 'resolved')),
      user_id text,
      user_email text,
      policy_id uuid,
      provider text,
      model text,
      details jsonb not null,
      occurrences bigint not null,
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      acknowledged_at timestamptz,
      acknowledged_by jsonb,
      resolved_at timestamptz,
      resolved_by jsonb,
      resolution text,
      follows uuid,
      change_version bigint not null,
      primary key (org_id, id)) with (fillfactor = 80)`);
    this
      .addSql(`create unique index incidents_unresolved on ${SCHEMA}.incidents (org_id, type, policy_id, user_id, model)
      nulls not distinct where status <> 'resolved'`);
    this.addSql(`create unique index incidents_changed on ${SCHEMA}.incidents (org_id, change_version)`);
    this.addSql(`create index incidents_of_status on ${SCHEMA}.incidents (org_id, status, id)`);
    this.addSql(`create index incidents_of_user on ${SCHEMA}.incidents (org_id, user_id, id)`);
    this.addSql(`create index incidents_of_policy on ${SCHEMA}.incidents (org_id, policy_id, id)`);
    // No index contains a column that changes with each occurrence, so that updates need no index entries.
    this.addSql(`create index incidents_open on ${SCHEMA}.incidents (org_id, severity, id) where status = 'open'`);
    this.addSql(`create index incidents_of_severity on ${SCHEMA}.incidents (org_id, severity, id)`);
    this.addSql(`create index incidents_of_model on ${SCHEMA}.incidents (org_id, model, id)`);
    this.addSql(`create index incidents_of_provider on ${SCHEMA}.incidents (org_id, provider, id)`);
    this.protect('incidents', 'select, insert, update');
  }

  private occurrences(): void {
    this.addSql(`create table ${SCHEMA}.incident_occurrences (
      org_id uuid not null,
      incident_id uuid not null,
      decision_id uuid not null,
      event_id uuid not null,
      action text,
      at timestamptz not null,
      primary key (org_id, incident_id, decision_id)) partition by range (decision_id)`);
    // Contains rows whose day has no partition. No role may read it directly; rows are read through the parent table.
    this.addSql(
      `create table ${SCHEMA}.incident_occurrences_default partition of ${SCHEMA}.incident_occurrences default`,
    );
    this.protect('incident_occurrences', 'select, insert');
  }

  private entries(): void {
    this.addSql(`create table ${SCHEMA}.incident_entries (
      org_id uuid not null,
      incident_id uuid not null,
      id uuid not null,
      kind text not null,
      at timestamptz not null,
      actor jsonb not null,
      data jsonb not null,
      primary key (org_id, incident_id, id))`);
    this.protect('incident_entries', 'select, insert, update (actor, data)');
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}

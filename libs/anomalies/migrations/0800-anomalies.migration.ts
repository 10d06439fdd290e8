import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** State of usual usage, the anomalies, and the settings of organizations. */
export class AnomaliesMigration0800 extends Migration {
  override up(): void {
    // This row also serves as the lock of the detection: a transaction that has locked it may process the organization.
    this.addSql(`create table ${SCHEMA}.anomaly_watches (
      org_id uuid not null primary key,
      pass jsonb,
      passed_at timestamptz,
      cohorts text,
      organization text)`);
    this.protect('anomaly_watches', 'select, insert, update');

    // Every pass writes the packed state. With these storage parameters, the row is updated within its page (HOT
    // update) and its state is not compressed.
    this.addSql(`create table ${SCHEMA}.anomaly_people (
      org_id uuid not null,
      user_id uuid not null,
      state bytea not null,
      last_day date not null,
      primary key (org_id, user_id)) with (fillfactor = 50, toast_tuple_target = 8160)`);
    this.addSql(`create index anomaly_people_last_day on ${SCHEMA}.anomaly_people (org_id, last_day)`);
    this.protect('anomaly_people', 'select, insert, update, delete');

    this.addSql(`create table ${SCHEMA}.anomalies (
      org_id uuid not null,
      id uuid not null,
      detected_at timestamptz not null,
      kind text not null check (kind in ('usage_spike', 'pre_departure')),
      severity text not null check (severity in ('critical', 'high', 'medium', 'low')),
      user_id uuid,
      user_email text,
      model text,
      metric text not null,
      rule text not null,
      observed double precision not null,
      expected_low double precision not null,
      expected_high double precision not null,
      window_start timestamptz not null,
      window_end timestamptz not null,
      history_days integer not null,
      strength double precision not null,
      series jsonb not null,
      incident_id uuid not null,
      feedback text check (feedback in ('expected', 'unexpected')),
      feedback_note text,
      feedback_at timestamptz,
      feedback_by jsonb,
      primary key (org_id, id),
      constraint anomalies_judged check ((feedback is null) = (feedback_at is null)))`);
    this.addSql(`create index anomalies_of_user on ${SCHEMA}.anomalies (org_id, user_id, id)`);
    this.addSql(`create index anomalies_of_incident on ${SCHEMA}.anomalies (org_id, incident_id)`);
    this.protect('anomalies', 'select, insert, update, delete');

    this.addSql(`create table ${SCHEMA}.anomaly_settings (
      org_id uuid not null primary key,
      settings jsonb not null,
      updated_at timestamptz not null)`);
    this.protect('anomaly_settings', 'select, insert, update');
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}

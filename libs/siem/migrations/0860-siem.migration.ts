import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, protectTable, SCHEMA } from '#database';
import { INSTALLATION_ID } from '../stream/installation-id.js';

/** Selects the ends of the audit logs of all organizations, and the installation itself, which has only records. */
const ENDS = `
  select h.org_id, h.seq from ${SCHEMA}.audit_heads h
  union all select '${INSTALLATION_ID}'::uuid, 0`;

/** Positions of streams to a SIEM, and waiting records that are not rows of the audit log. */
export class SiemMigration0860 extends Migration {
  override up(): void {
    const statements = [...streams(), ...records(), ...behind(), ...backlog()];
    for (const statement of statements) this.addSql(statement);
  }
}

function streams(): string[] {
  return [
    // The sink has accepted rows up to `seq`. It may also have accepted rows up to `offered_seq`.
    `create table ${SCHEMA}.siem_streams (
      org_id uuid not null,
      stream text not null,
      seq bigint not null default 0,
      offered_seq bigint not null default 0,
      touched_at timestamptz not null,
      lease_token uuid null,
      lease_until timestamptz null,
      failures integer not null default 0,
      retry_at timestamptz null,
      fault text null,
      accepted_at timestamptz null,
      primary key (org_id, stream),
      constraint siem_streams_lease check ((lease_token is null) = (lease_until is null)))`,
    ...protectTable('siem_streams', 'select, insert, update'),
  ];
}

function records(): string[] {
  return [
    `create table ${SCHEMA}.siem_records (
      org_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('security', 'incident')),
      at timestamptz not null,
      data jsonb not null,
      is_offered boolean not null default false,
      primary key (org_id, id))`,
    ...protectTable('siem_records', 'select, insert, update, delete'),
  ];
}

/** Finds organizations that have records to send, and whose records no process is sending. */
function behind(): string[] {
  return crossOrganizationFunction(
    'organizations_behind_siem(the_stream text, most integer)',
    `returns table (org_id uuid)
     language sql stable security definer set search_path = pg_catalog, pg_temp
     as $$
     select e.org_id from (${ENDS}) e
     left join ${SCHEMA}.siem_streams s on s.org_id = e.org_id and s.stream = the_stream
     where (s.retry_at is null or s.retry_at <= ${SCHEMA}.now())
       and (s.lease_until is null or s.lease_until <= ${SCHEMA}.now())
       and (e.seq > coalesce(s.seq, 0) or exists (select from ${SCHEMA}.siem_records r where r.org_id = e.org_id))
     order by s.touched_at nulls first, e.org_id limit most
     $$`,
    {
      audit_heads: ['org_id', 'key_id', 'anchored_at', 'seq'],
      siem_streams: [...['org_id', 'stream', 'seq', 'touched_at', 'lease_until', 'failures', 'retry_at', 'fault']],
      siem_records: ['org_id', 'at'],
    },
  );
}

/** Functions that return the backlog of a stream. Without a name, they use the stream that was used most recently. */
function backlog(): string[] {
  return crossOrganizationFunction(
    'siem_backlog(the_stream text)',
    `returns table (stream text, waiting float8, oldest_seconds float8, failing float8, fault text)
     language sql stable security definer set search_path = pg_catalog, pg_temp
     as $$
     with moment as materialized (select ${SCHEMA}.now() as at),
     named as materialized (
       select coalesce(the_stream, (select l.stream from ${SCHEMA}.siem_streams l order by l.touched_at desc limit 1)) as stream),
     behind as (
       select greatest(e.seq - coalesce(s.seq, 0), 0) + r.count as waiting, least(a.at, r.at) as oldest, s.failures, s.fault
       from (${ENDS}) e
       cross join named n
       left join ${SCHEMA}.siem_streams s on s.org_id = e.org_id and s.stream = n.stream
       left join lateral (
         select l.occurred_at as at from ${SCHEMA}.audit_log l
         where l.org_id = e.org_id and l.seq > coalesce(s.seq, 0) order by l.seq limit 1) a on e.seq > coalesce(s.seq, 0)
       cross join lateral (
         select count(*) as count, min(w.at) as at from ${SCHEMA}.siem_records w where w.org_id = e.org_id) r)
     select n.stream, sum(b.waiting)::float8,
       coalesce(extract(epoch from min(m.at) - min(b.oldest)), 0)::float8,
       count(*) filter (where b.failures > 0)::float8, max(b.fault) filter (where b.failures > 0)
     from named n cross join moment m cross join behind b
     where n.stream is not null group by n.stream
     $$`,
    { audit_log: ['org_id', 'seq', 'occurred_at'] },
  );
}

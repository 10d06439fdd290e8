import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId, Clock } from '#core';
import { OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import type { AuditRowFacts } from '../ocsf/audit-events.js';
import { INSTALLATION_ID } from './installation-id.js';

/** A waiting record that is not a row of the audit log. */
export interface WaitingRecord {
  readonly id: string;
  readonly kind: 'security' | 'incident';
  readonly data: unknown;
  readonly is_offered: boolean;
}

/** The records that a process may send now, because it has the lease of the organization. */
export interface Claim {
  readonly orgId: string;
  readonly token: string;
  /** The sink may already have accepted the rows up to this one. */
  readonly offeredSeq: number;
  readonly failures: number;
  /** Rows of the audit log, in order. */
  readonly rows: readonly AuditRowFacts[];
  /** Oldest first. */
  readonly records: readonly WaitingRecord[];
}

/** Duration of the lease of an organization. It is longer than the time limit of a sink for a batch. */
const LEASE_SECONDS = 60;
/** Maximum number of records of a batch. Rows of the audit log come first. */
const BATCH = 500;
/** A batch contains rows until their changes reach about this many bytes. It contains at least one row. */
const BATCH_BYTES = 1_048_576;
const FAULT_LENGTH = 500;

const BEHIND = `select org_id from ${SCHEMA}.organizations_behind_siem($1, $2)`;

const BEGIN = `
insert into ${SCHEMA}.siem_streams (org_id, stream, touched_at) values ($1, $2, ${SCHEMA}.now())
on conflict (org_id, stream) do nothing`;

const CLAIM = `
update ${SCHEMA}.siem_streams
set lease_token = $3, lease_until = ${SCHEMA}.now() + ${LEASE_SECONDS} * interval '1 second', touched_at = ${SCHEMA}.now()
where org_id = $1 and stream = $2 and (lease_until is null or lease_until <= ${SCHEMA}.now())
  and (retry_at is null or retry_at <= ${SCHEMA}.now())
returning seq::float8 as seq, offered_seq::float8 as offered_seq, failures`;

const ROWS = `
select seq, id, occurred_at, actor_kind, actor_id, actor_name, actor_user_id, address, request_id, action, resource_type,
  resource_id, before, after, hash
from (
  select seq::float8 as seq, id::text, to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as occurred_at,
    actor_kind, actor_id, actor_name, actor_user_id::text, address, request_id, action, resource_type, resource_id,
    before::text, after::text, encode(hash, 'hex') as hash,
    coalesce(sum(octet_length(coalesce(before::text, '')) + octet_length(coalesce(after::text, '')))
      over (order by seq rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from (select * from ${SCHEMA}.audit_log where org_id = $1 and seq > $2 order by seq limit $3) l) r
where bytes_before < ${BATCH_BYTES} order by seq`;

const RECORDS = `
select id::text, kind, data, is_offered from ${SCHEMA}.siem_records where org_id = $1 order by id limit $2`;

const OFFER_ROWS = `
update ${SCHEMA}.siem_streams set offered_seq = greatest(offered_seq, $3) where org_id = $1 and stream = $2`;

const OFFER_RECORDS = `
update ${SCHEMA}.siem_records set is_offered = true where org_id = $1 and id = any ($2::uuid[]) and not is_offered`;

// The token of the lease. If the stored token differs, another process has the lease.
const ACCEPT = `
update ${SCHEMA}.siem_streams
set seq = greatest(seq, $4), lease_token = null, lease_until = null, failures = 0, retry_at = null, fault = null,
    accepted_at = ${SCHEMA}.now()
where org_id = $1 and stream = $2 and lease_token = $3 returning 1 as yes`;

const FORGET = `delete from ${SCHEMA}.siem_records where org_id = $1 and id = any ($2::uuid[])`;

const FAIL = `
update ${SCHEMA}.siem_streams
set lease_token = null, lease_until = null, failures = failures + 1, fault = $4,
    retry_at = ${SCHEMA}.now() + $5 * interval '1 millisecond'
where org_id = $1 and stream = $2 and lease_token = $3`;

interface Position {
  seq: number;
  offered_seq: number;
  failures: number;
}

/** Positions of streams in the database. */
@Injectable()
export class StreamStore {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {}

  /** Organizations with unsent records, longest waiting first. */
  async behind(stream: string, most: number): Promise<string[]> {
    const rows = await this.database.global<{ org_id: string }>(BEHIND, [stream, most]);
    return rows.map(({ org_id: orgId }) => orgId);
  }

  /**
   * Takes the lease of an organization, and stores the offered rows. Undefined if another process has the lease, or if
   * no record waits.
   */
  claim(stream: string, orgId: string): Promise<Claim | undefined> {
    return this.within(orgId, async em => {
      const sql = sqlOf(em);
      const token = newId(this.clock.now());
      await sql.query(BEGIN, [orgId, stream]);
      const [position] = await sql.query<Position>(CLAIM, [orgId, stream, token]);
      if (!position) return undefined;
      const rows = await sql.query<AuditRowFacts>(ROWS, [orgId, position.seq, BATCH]);
      const room = BATCH - rows.length;
      const records = room > 0 ? await sql.query<WaitingRecord>(RECORDS, [orgId, room]) : [];
      const last = rows.at(-1);
      if (last) await sql.query(OFFER_ROWS, [orgId, stream, last.seq]);
      if (records.length > 0) await sql.query(OFFER_RECORDS, [orgId, idsOf(records)]);
      return { orgId, token, offeredSeq: position.offered_seq, failures: position.failures, rows, records };
    });
  }

  /**
   * Moves the position of the stream past the accepted records. Returns false if another process now has the lease;
   * that process sends the records again.
   */
  accept(stream: string, { orgId, token, rows, records }: Claim): Promise<boolean> {
    return this.within(orgId, async em => {
      const held = await sqlOf(em).query(ACCEPT, [orgId, stream, token, rows.at(-1)?.seq ?? 0]);
      if (held.length === 0) return false;
      if (records.length > 0) await sqlOf(em).query(FORGET, [orgId, idsOf(records)]);
      return true;
    });
  }

  /** Stores why the sink accepted nothing, and when to retry. */
  async fail(stream: string, { orgId, token }: Claim, fault: string, afterMs: number): Promise<void> {
    const shown = fault.slice(0, FAULT_LENGTH).replaceAll('\0', '');
    await this.within(orgId, em => sqlOf(em).query(FAIL, [orgId, stream, token, shown, afterMs]));
  }

  private within<T>(orgId: string, work: (em: EntityManager) => Promise<T>): Promise<T> {
    // INSTALLATION_ID is not the id of an existing organization, so the transaction must not require one.
    return this.database.transaction(orgId, work, { isNew: orgId === INSTALLATION_ID });
  }
}

function idsOf(records: readonly WaitingRecord[]): string {
  return plainArray(records, ({ id }) => id);
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OrganizationNotFoundError, SecurityEventFeed, TokenBuckets, type SecurityEvent } from '#access';
import { Clock, newId } from '#core';
import { isOutage, OrgDatabase, sqlOf } from '#database';
import { Scheduler } from '#scheduler';
import { STREAMED_TYPES, type SecurityFacts, type StreamedType } from '../ocsf/security-events.js';
import { AuditSink, isSet } from '../sinks/audit-sink.port.js';
import { INSTALLATION_ID } from '../stream/installation-id.js';
import { putRecords, type NewRecord } from './put-records.js';

/**
 * Maximum burst of records of one type and organization, and the maximum rate per second after it. Further events are
 * only counted.
 */
const AT_ONCE = 100;
const PER_SECOND = 5;
/** Maximum number of records in memory while the database is unavailable. Further events are only counted. */
const KEPT_MAX = 5_000;
/** Maximum number of combinations of type and organization with separate counts. */
const COUNTS_MAX = 1_000;

interface LeftOut {
  readonly orgId: string;
  readonly type: StreamedType;
  readonly since: Date;
  until: Date;
  count: number;
}

/**
 * Stores security events for the SIEM. They occur during requests, so they are collected and written in the background
 * once a second. In a flood, only some events are stored, and then one record with the number of the others.
 */
@Injectable()
export class SecuritySpool implements OnModuleInit {
  /** Writes the collected records. Returns 0. */
  readonly flush: () => Promise<number>;
  private readonly buckets = new TokenBuckets(AT_ONCE, PER_SECOND, COUNTS_MAX);
  private kept: { orgId: string; record: NewRecord }[] = [];
  private leftOut = new Map<string, LeftOut>();

  constructor(
    private readonly feed: SecurityEventFeed,
    private readonly sink: AuditSink,
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    scheduler: Scheduler,
  ) {
    if (!isSet(sink)) {
      this.flush = async () => 0;
      return;
    }
    this.flush = scheduler.add({
      name: 'security-spool',
      pattern: '* * * * * *',
      // Runs in every process, because each process collects its own events.
      runsEverywhere: true,
      failure: 'Security events could not be stored for the SIEM',
      round: () => this.store(),
    });
    database.beforeClose(async () => void (await this.flush()));
  }

  onModuleInit(): void {
    if (isSet(this.sink)) this.feed.addListener(event => this.take(event));
  }

  private take(event: SecurityEvent): void {
    const type = STREAMED_TYPES.find(each => each === event.type);
    if (type === undefined) return;
    const orgId = event.actor?.orgId ?? INSTALLATION_ID;
    const key = `${type} ${orgId}`;
    if (this.kept.length >= KEPT_MAX || this.buckets.take(key, event.at.getTime()) > 0) {
      this.count(key, orgId, type, event.at);
    } else {
      this.kept.push({ orgId, record: { id: newId(event.at), at: event.at, data: factsOf(type, event) } });
    }
  }

  private count(key: string, orgId: string, type: StreamedType, at: Date): void {
    const known = this.leftOut.get(key);
    if (known) {
      known.count += 1;
      known.until = at;
    } else if (this.leftOut.size < COUNTS_MAX) {
      this.leftOut.set(key, { orgId, type, since: at, until: at, count: 1 });
    }
  }

  private async store(): Promise<number> {
    const batch = [...this.kept, ...this.summaries()];
    if (batch.length === 0) return 0;
    this.kept = [];
    const faults: unknown[] = [];
    for (const [orgId, entries] of Map.groupBy(batch, ({ orgId }) => orgId)) {
      const records = entries.map(({ record }) => record);
      try {
        // Events of the installation are stored under a reserved id, with which no organization exists.
        await this.database.transaction(orgId, em => putRecords(sqlOf(em), orgId, 'security', records), {
          isNew: orgId === INSTALLATION_ID,
        });
      } catch (error) {
        // The organization of the events was deleted in the meantime.
        if (error instanceof OrganizationNotFoundError) continue;
        // The records are kept for the next attempt. The outage itself is logged elsewhere.
        this.kept.push(...entries.slice(0, KEPT_MAX - this.kept.length));
        if (!isOutage(error)) faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
    return 0;
  }

  /** Returns one record for each count of omitted events, and resets the counts. */
  private summaries(): { orgId: string; record: NewRecord }[] {
    const leftOut = [...this.leftOut.values()];
    this.leftOut = new Map();
    return leftOut.map(({ orgId, type, since, until, count }) => {
      const facts: SecurityFacts = {
        ...{ type, at: until.toISOString(), actor: null, address: null, request_id: null, route: null },
        reason: `${count} more events of this type.`,
        left_out: { count, since: since.toISOString() },
      };
      return { orgId, record: { id: newId(this.clock.now()), at: since, data: facts } };
    });
  }
}

function factsOf(type: StreamedType, { at, actor, address, requestId, route, reason }: SecurityEvent): SecurityFacts {
  return {
    type,
    at: at.toISOString(),
    actor: actor && { kind: actor.kind, id: actor.id, user_id: actor.userId ?? null },
    address,
    request_id: requestId,
    route,
    reason,
  };
}

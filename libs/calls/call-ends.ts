import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SpendGuard, type SqlTransaction } from '#core';
import { plainArray, SCHEMA, sqlOf } from '#database';
import { NO_TIME_LIMITS, StoredUsageEvents, UsageIngestion, type UsageEventInput } from '#usage';
import { endedEventIn, ownEventId, plainFormOf, remainderOf, type EndedEvent } from './call-event.js';

/** A call that ends. */
export interface CallEnd {
  /** Id of the call. */
  readonly id: string;
  /** The decision whose reservation is released if nothing is recorded. */
  readonly decisionId: string | undefined;
  /** Usage of the call, as written by `endedEventOf`; undefined if nothing was served. */
  readonly event: string | undefined;
  /** Whether a row of the call may exist. */
  readonly isCovered: boolean;
  /** Whether the row is known to have been written. */
  readonly isCertain: boolean;
}

interface Counted {
  readonly end: CallEnd;
  readonly ended: EndedEvent;
  readonly event: UsageEventInput;
}

// Locks rows in the order of their keys, like all statements that lock several of them, to avoid deadlocks.
const END = `
with ended as (
  select c.id from ${SCHEMA}.open_calls c where c.org_id = $1 and c.id = any($2::uuid[]) order by c.id for update
)
delete from ${SCHEMA}.open_calls c using ended where c.org_id = $1 and c.id = ended.id returning c.id`;

/** A call may be longer than the allowed age of usage. A later part of a recorded call counts no further request. */
const LIMITS = { ...NO_TIME_LIMITS, leastRequests: 0 } as const;

/** Ends calls in a transaction: removes their rows and records their usage, so that each counts once. */
@Injectable()
export class CallEnds {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly usage: UsageIngestion,
    private readonly stored: StoredUsageEvents,
    private readonly spend: SpendGuard,
  ) {}

  /** Ends calls of one organization in its running transaction. */
  async endWithin(em: EntityManager, orgId: string, ends: readonly CallEnd[]): Promise<void> {
    const tx = sqlOf(em);
    const removed = await this.remove(tx, orgId, ends);
    await this.recordWithin(em, orgId, ends, end => end.isCovered && (!end.isCertain || !removed.has(end.id)));
  }

  /**
   * Records calls whose rows the transaction has removed. An event that was recorded earlier counts once.
   * @param isSuspect whether a call may have been recorded in part, because its process seemed dead. Default: none
   */
  async recordWithin(
    em: EntityManager,
    orgId: string,
    ends: readonly CallEnd[],
    isSuspect: (end: CallEnd) => boolean = () => false,
  ): Promise<void> {
    const tx = sqlOf(em);
    const counted: Counted[] = [];
    const unused: CallEnd[] = [];
    for (const end of ends) {
      const recorded = isSuspect(end) ? await this.stored.findWithin(tx, orgId, ownEventId(end)) : undefined;
      if (end.event === undefined) {
        if (!recorded) unused.push(end);
        continue;
      }
      const ended = endedEventIn(end.event);
      const event = recorded ? remainderOf(end, ended, recorded) : ended.event;
      if (event) counted.push({ end, ended, event });
    }
    unused.push(...(await this.record(em, orgId, counted)));
    for (const { decisionId } of unused) {
      if (decisionId !== undefined) await this.spend.releaseWithin(tx, orgId, decisionId);
    }
  }

  private async remove(tx: SqlTransaction, orgId: string, ends: readonly CallEnd[]): Promise<ReadonlySet<string>> {
    const covered = ends.filter(({ isCovered }) => isCovered);
    if (covered.length === 0) return new Set();
    const rows = await tx.query<{ id: string }>(END, [orgId, plainArray(covered, ({ id }) => id)]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Records events; returns the calls without a storable event. */
  private async record(em: EntityManager, orgId: string, counted: readonly Counted[]): Promise<CallEnd[]> {
    const again: Counted[] = [];
    const unused: CallEnd[] = [];
    for (const { one, message, isConflict } of await this.rejectedOf(em, orgId, counted)) {
      const ownId = ownEventId(one.end);
      if (!isConflict) {
        this.logger.warn(`Usage of call ${one.end.id} is recorded by plain counts: ${message}`);
        again.push({ ...one, event: plainFormOf(one.end, one.ended) });
      }
      // The call is already counted: one of its marks was written after its end.
      else if (one.event.id === ownId) continue;
      else if (await this.isReportedElsewhere(em, orgId, one.event.id)) unused.push(one.end);
      else again.push({ ...one, event: { ...one.event, id: ownId } });
    }
    for (const { one, message, isConflict } of await this.rejectedOf(em, orgId, again)) {
      if (isConflict) continue;
      this.logger.error(`Usage of call ${one.end.id} cannot be recorded: ${message}`);
      unused.push(one.end);
    }
    return unused;
  }

  private async rejectedOf(em: EntityManager, orgId: string, counted: readonly Counted[]) {
    if (counted.length === 0) return [];
    const events = counted.map(({ event }) => event);
    const reporter = (index: number) => ({ tokenId: counted[index]?.ended.tokenId });
    const { rejected } = await this.usage.record(orgId, events, { em, limits: LIMITS, reporter });
    return rejected.flatMap(({ index, field, message }) => {
      const one = counted[index];
      return one ? [{ one, message: `${field} ${message}`, isConflict: message.startsWith('conflict') }] : [];
    });
  }

  /**
   * Whether the provider's answer was also reported by a source that names no decision. Servers that give every answer
   * the same id are a different case: their events name other decisions.
   */
  private async isReportedElsewhere(em: EntityManager, orgId: string, id: string): Promise<boolean> {
    return (await this.stored.findWithin(sqlOf(em), orgId, id))?.decision_id === null;
  }
}

import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SpendGuard, type SqlTransaction } from '#core';
import { plainArray, SCHEMA, sqlOf } from '#database';
import { NO_TIME_LIMITS, StoredUsageEvents, UsageIngestion, type UsageEventInput } from '#usage';
import { endedEventIn, ownEventId, plainFormOf, remainderOf, type EndedEvent } from './call-event.js';

/** A call that ends now. */
export interface CallEnd {
  /** Id of the call. */
  readonly id: string;
  /** The decision that reserved money for the call. Its reservation is released if no usage is recorded. */
  readonly decisionId: string | undefined;
  /** Usage of the call, as written by `endedEventOf`; undefined if the provider served nothing. */
  readonly event: string | undefined;
  /** Whether a row of the call may exist in the database. */
  readonly isCovered: boolean;
  /** Whether the row of the call is known to have been written. */
  readonly isCertain: boolean;
}

interface Counted {
  readonly end: CallEnd;
  readonly ended: EndedEvent;
  readonly event: UsageEventInput;
}

// Locks the rows of several calls in the order of their keys, to avoid deadlocks. All such statements use this order.
const END = `
with ended as (
  select c.id from ${SCHEMA}.open_calls c where c.org_id = $1 and c.id = any($2::uuid[]) order by c.id for update
)
delete from ${SCHEMA}.open_calls c using ended where c.org_id = $1 and c.id = ended.id returning c.id`;

/**
 * Usage has no age limit here, because a call may last longer than the limit. A second part of a recorded call counts
 * zero requests.
 */
const LIMITS = { ...NO_TIME_LIMITS, leastRequests: 0 } as const;

/**
 * Ends calls in a transaction. Removes their rows and records their usage in the same transaction, so that each call
 * counts once.
 */
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
   * Records calls whose rows the transaction has removed. An event that was recorded earlier is not counted again.
   * @param isSuspect whether another process may have recorded a part of the call, because the call's process seemed
   * dead. Default: never
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
      // The call is already counted. A write-ahead that finished after the end of the call had created a row, and that
      // row was recorded.
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
   * Whether another source that names no decision has also reported this answer. Some servers give every answer the
   * same id. Their events name other decisions, so they do not count as reports of this answer.
   */
  private async isReportedElsewhere(em: EntityManager, orgId: string, id: string): Promise<boolean> {
    return (await this.stored.findWithin(sqlOf(em), orgId, id))?.decision_id === null;
  }
}

import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SpendGuard, type SqlTransaction } from '#core';
import { plainArray, SCHEMA, sqlOf } from '#database';
import { NO_TIME_LIMITS, StoredUsageEvents, UsageIngestion, type UsageEventInput } from '#usage';
import type { CallUsage } from './call.js';
import { eventOf, ownEventId, plainEventOf, remainderOf } from './call-event.js';
import type { CallRecord } from './call-record.js';

/** A call that ends. */
export interface CallEnd {
  readonly call: CallRecord;
  /** What it used; undefined where nothing was served. */
  readonly usage: CallUsage | undefined;
  /** Output tokens that were passed on. */
  readonly passed: number;
  /** Whether a row of it may be there. */
  readonly isCovered: boolean;
  /** Whether the row is known to have been written. */
  readonly isCertain: boolean;
}

interface Counted {
  readonly end: CallEnd & { readonly usage: CallUsage };
  readonly event: UsageEventInput;
}

// In the order of their keys, as everybody who locks several of them does.
const END = `
with ended as (
  select c.id from ${SCHEMA}.open_calls c where c.org_id = $1 and c.id = any($2::uuid[]) order by c.id for update
)
delete from ${SCHEMA}.open_calls c using ended where c.org_id = $1 and c.id = ended.id returning c.id`;

/** Ends calls in a transaction: removes their rows, and records what they used, so that each counts once. */
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
    const counted: Counted[] = [];
    const unused: CallRecord[] = [];
    for (const end of ends) {
      const { call, usage } = end;
      // A row that is gone was recorded for this process when it seemed dead.
      const recorded = this.isSuspect(end, removed) ? await this.recovered(tx, call) : undefined;
      if (!usage) {
        if (!recorded) unused.push(call);
        continue;
      }
      const event = eventOf(call, usage, end.passed);
      const left = recorded ? remainderOf(call, event, recorded) : event;
      if (left) counted.push({ end: { ...end, usage }, event: left });
    }
    unused.push(...(await this.record(em, orgId, counted)));
    for (const { decision } of unused) {
      if (decision?.reservation) await this.spend.releaseWithin(tx, orgId, decision.id);
    }
  }

  private async remove(tx: SqlTransaction, orgId: string, ends: readonly CallEnd[]): Promise<ReadonlySet<string>> {
    const covered = ends.filter(({ isCovered }) => isCovered);
    if (covered.length === 0) return new Set();
    const rows = await tx.query<{ id: string }>(END, [orgId, plainArray(covered, ({ call }) => call.id)]);
    return new Set(rows.map(({ id }) => id));
  }

  private isSuspect({ call, isCovered, isCertain }: CallEnd, removed: ReadonlySet<string>): boolean {
    return isCovered && (!isCertain || !removed.has(call.id));
  }

  private recovered(tx: SqlTransaction, call: CallRecord) {
    return this.stored.findWithin(tx, call.orgId, ownEventId(call));
  }

  /** Records events; answers the calls of which none could be stored. */
  private async record(em: EntityManager, orgId: string, counted: readonly Counted[]): Promise<CallRecord[]> {
    if (counted.length === 0) return [];
    const events = counted.map(({ event }) => event);
    const { rejected } = await this.usage.record(orgId, events, { em, limits: NO_TIME_LIMITS });
    const again: Counted[] = [];
    const unused: CallRecord[] = [];
    for (const { index, message } of rejected) {
      const one = counted[index];
      if (!one) continue;
      if (!message.startsWith('conflict')) {
        const { call, usage, passed } = one.end;
        this.logger.warn(`Usage of call ${call.id} is recorded by plain counts: ${message}`);
        again.push({ ...one, event: plainEventOf(call, usage, passed) });
      } else if (await this.isReportedElsewhere(em, orgId, one.event.id)) unused.push(one.end.call);
      else again.push({ ...one, event: { ...one.event, id: ownEventId(one.end.call) } });
    }
    return [...unused, ...(await this.recordAgain(em, orgId, again))];
  }

  private async recordAgain(em: EntityManager, orgId: string, counted: readonly Counted[]): Promise<CallRecord[]> {
    if (counted.length === 0) return [];
    const events = counted.map(({ event }) => event);
    const { rejected } = await this.usage.record(orgId, events, { em, limits: NO_TIME_LIMITS });
    return rejected.flatMap(({ index, field, message }) => {
      const call = counted[index]?.end.call;
      if (!call) return [];
      this.logger.error(`Usage of call ${call.id} cannot be recorded: ${field} ${message}`);
      return [call];
    });
  }

  /**
   * Whether the provider's answer was reported by another way, which names no decision. Servers that give all answers
   * one id are another case: those events name decisions of their own.
   */
  private async isReportedElsewhere(em: EntityManager, orgId: string, id: string): Promise<boolean> {
    return (await this.stored.findWithin(sqlOf(em), orgId, id))?.decision_id === null;
  }
}

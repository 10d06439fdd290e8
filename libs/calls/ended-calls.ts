import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy, messageOf, SpendGuard, UnavailableError } from '#core';
import { GroupCommit, isOutage, OrgDatabase } from '#database';
import { CallEnds, type CallEnd } from './call-ends.js';

/**
 * Time for which ended calls are collected. They share one transaction, so that the budgets of an organization are
 * locked once for all of them.
 */
const GATHER_MS = 200;
const RETRY_MS = 1_000;
/** Time after a count. A request that is refused in this time may have read the budgets before the count. */
const RECENT_MS = 1_000;
/** Maximum number of calls of one organization that are counted in one transaction. */
const BATCH = 1_000;
/**
 * Maximum number of ended calls in memory, some hundred bytes each. Further calls are counted when their leases expire.
 */
const MAX_WAITING = 100_000;

/** Counts the usage of calls in the background, after their ends are stored. An organization's calls share transactions. */
@Injectable()
export class EndedCalls {
  private readonly logger = new Logger('Governance');
  private readonly group: GroupCommit<CallEnd, void>;
  private readonly waiting = new Map<string, CallEnd[]>();
  private readonly underWay = new Map<string, Promise<void>>();
  /** Organizations whose calls were counted within the last second. */
  private readonly recent = new LRUCache<string, true>({ ...boundedBy(10_000), ttl: RECENT_MS });
  private count = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    private readonly database: OrgDatabase,
    private readonly ends: CallEnds,
    private readonly spend: SpendGuard,
  ) {
    this.group = new GroupCommit<CallEnd, void>({
      commit: async (orgId, all) => {
        await this.spend.store(orgId, decisionsOf(all));
        await this.database.transaction(orgId, em => this.ends.endWithin(em, orgId, all));
        return all.map(() => undefined);
      },
      maxWeight: BATCH,
      concurrency: 1,
      gathers: true,
    });
    // An ended call that is not counted yet may still reserve more of a budget than it used. Count such calls before a
    // budget refuses a request.
    spend.beforeRefusal(async orgId => (await this.flush(orgId)) || this.recent.has(orgId));
    database.beforeClose(async () => {
      this.isClosing = true;
      clearTimeout(this.timer);
      await this.flushAll();
      await this.group.close();
    });
  }

  /** Counts a call soon. The end of the call is already stored, so another process counts it if this one dies. */
  add(orgId: string, end: CallEnd): void {
    if (this.count >= MAX_WAITING || this.isClosing) return;
    this.keep(orgId, end);
    this.schedule(GATHER_MS);
  }

  /** Counts a call at once. If it rejects, the call is not counted and nothing has changed. */
  record(orgId: string, end: CallEnd): Promise<void> {
    return this.group.add(orgId, end);
  }

  /**
   * Counts the ended calls of an organization in this process now. Returns whether there were any. During an outage,
   * they stay in memory and are counted later.
   */
  async flush(orgId: string): Promise<boolean> {
    const before = this.underWay.get(orgId);
    if (!before && !this.waiting.has(orgId)) return false;
    await before;
    await this.send(orgId);
    return true;
  }

  /** Waits until the calls of all organizations are counted. */
  async flushAll(): Promise<void> {
    const organizations = new Set([...this.underWay.keys(), ...this.waiting.keys()]);
    await Promise.all([...organizations].map(orgId => this.flush(orgId)));
  }

  private keep(orgId: string, end: CallEnd): void {
    const ends = this.waiting.get(orgId);
    if (ends) ends.push(end);
    else this.waiting.set(orgId, [end]);
    this.count++;
  }

  private schedule(inMs: number): void {
    if (this.isClosing) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const orgId of this.waiting.keys()) {
        // Calls that end during a running transaction are counted together in the next one.
        if (!this.underWay.has(orgId)) void this.send(orgId);
      }
      if (this.waiting.size > 0) this.schedule(GATHER_MS);
    }, inMs).unref();
  }

  /** Never rejects. */
  private send(orgId: string): Promise<void> {
    const ends = this.waiting.get(orgId) ?? [];
    this.waiting.delete(orgId);
    this.count -= ends.length;
    const work = Promise.all([this.underWay.get(orgId), ...ends.map(end => this.store(orgId, end))])
      .then(() => undefined)
      .finally(() => {
        if (this.underWay.get(orgId) === work) this.underWay.delete(orgId);
      });
    this.underWay.set(orgId, work);
    return work;
  }

  private async store(orgId: string, end: CallEnd): Promise<void> {
    try {
      await this.group.add(orgId, end);
      this.recent.set(orgId, true);
    } catch (error) {
      if (!isOutage(error) && !(error instanceof UnavailableError)) {
        this.logger.error(`Usage of call ${end.id} cannot be counted: ${messageOf(error)}`);
        return;
      }
      if (!this.timer) this.logger.warn(`Usage of calls that have ended must wait: ${messageOf(error)}`);
      this.keep(orgId, end);
      this.schedule(RETRY_MS);
    }
  }
}

function decisionsOf(ends: readonly CallEnd[]): string[] {
  return ends.flatMap(({ decisionId }) => (decisionId === undefined ? [] : [decisionId]));
}

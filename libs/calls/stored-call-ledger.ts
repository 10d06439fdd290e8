import { Injectable, Logger } from '@nestjs/common';
import { messageOf, SpendGuard, UnavailableError, within } from '#core';
import { GroupCommit, hostSql, isOutage, OrgDatabase, type HostTransaction } from '#database';
import { UsageIngestion } from '#usage';
import type { CallUsage } from './call.js';
import { CallEnds, type CallEnd } from './call-ends.js';
import { eventOf } from './call-event.js';
import { CallLedger, type CallProgress } from './call-ledger.js';
import { CallMarks } from './call-marks.js';
import type { CallRecord } from './call-record.js';

/** How long a caller waits until the end of its call is stored. */
const PATIENCE_MS = 5_000;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;
/** Ends of calls that are tried again in an outage; a few hundred bytes each. */
const MAX_UNSTORED = 100_000;
/** Calls of one organization that end in one transaction, and such transactions at a time. */
const BATCH = 1_000;
const SIDE_BY_SIDE = 2;

const AWAY = 'What this call used cannot be recorded at present.';

/** Keeps what calls use in the database. Ends of calls share transactions. */
@Injectable()
export class StoredCallLedger extends CallLedger {
  private readonly logger = new Logger('Governance');
  private readonly group: GroupCommit<CallEnd, void>;
  private unstored = 0;
  private isClosing = false;

  constructor(
    private readonly database: OrgDatabase,
    private readonly usage: UsageIngestion,
    private readonly spend: SpendGuard,
    private readonly marks: CallMarks,
    private readonly ends: CallEnds,
  ) {
    super();
    this.group = new GroupCommit({
      commit: async (orgId, all) => {
        await this.database.transaction(orgId, em => this.ends.endWithin(em, orgId, all));
        return all.map(() => undefined);
      },
      maxWeight: BATCH,
      concurrency: SIDE_BY_SIDE,
      gathers: true,
    });
    database.beforeClose(() => {
      this.isClosing = true;
      return this.group.drain();
    });
  }

  override cover(call: CallRecord, outputTokens: number): Promise<void> {
    return this.marks.cover(call, outputTokens);
  }

  override settle(call: CallRecord, usage: CallUsage, progress: CallProgress, host?: HostTransaction): Promise<void> {
    const end = this.endOf(call, usage, progress);
    const tx = host && hostSql(host);
    if (tx) return this.database.join(tx, call.orgId).then(em => this.ends.endWithin(em, call.orgId, [end]));
    return this.untilStored(() => (end.isCovered ? this.group.add(call.orgId, end) : this.recordAlone(end, usage)));
  }

  override async release(call: CallRecord, progress: CallProgress, host?: HostTransaction): Promise<void> {
    const end = this.endOf(call, undefined, progress);
    const tx = host && hostSql(host);
    if (tx) return this.ends.endWithin(await this.database.join(tx, call.orgId), call.orgId, [end]);
    if (end.isCovered) return this.untilStored(() => this.group.add(call.orgId, end));
    const { decision, orgId } = call;
    if (decision?.reservation) await this.spend.release(orgId, decision.id);
  }

  private endOf(call: CallRecord, usage: CallUsage | undefined, progress: CallProgress): CallEnd {
    const coverage = this.marks.take(call);
    const { outputTokens: passed, isCovered } = progress;
    return { call, usage, passed, isCovered, isCertain: coverage?.state === 'written' };
  }

  /** A call without a row shares the transaction with whatever usage is reported at the moment. */
  private async recordAlone(end: CallEnd, usage: CallUsage): Promise<void> {
    const { orgId } = end.call;
    const { rejected } = await this.usage.record(orgId, [eventOf(end.call, usage, end.passed)]);
    if (rejected.length > 0) await this.group.add(orgId, end);
  }

  /** Tries as long as the database is away, also when the caller has stopped waiting. */
  private untilStored(store: () => Promise<void>): Promise<void> {
    if (this.unstored >= MAX_UNSTORED) return Promise.reject(new UnavailableError(AWAY));
    return within(PATIENCE_MS, this.retrying(store), () => new UnavailableError(AWAY));
  }

  private async retrying(store: () => Promise<void>): Promise<void> {
    this.unstored++;
    try {
      for (let pause = RETRY_FIRST_MS; ; pause = Math.min(pause * 2, RETRY_MAX_MS)) {
        try {
          return await store();
        } catch (error) {
          if (!isOutage(error) && !(error instanceof UnavailableError)) throw error;
          if (this.isClosing) throw new UnavailableError(AWAY);
          if (pause === RETRY_FIRST_MS) this.logger.warn(`The end of a call must wait: ${messageOf(error)}`);
          await new Promise(done => setTimeout(done, pause).unref());
        }
      }
    } finally {
      this.unstored--;
    }
  }
}

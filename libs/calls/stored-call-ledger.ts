import { Injectable, Logger } from '@nestjs/common';
import { messageOf, SpendGuard, UnavailableError, within } from '#core';
import { hostSql, isOutage, OrgDatabase, type HostTransaction } from '#database';
import type { CallUsage } from './call.js';
import { CallEnds, type CallEnd } from './call-ends.js';
import { endedEventOf } from './call-event.js';
import { CallLedger, type CallProgress } from './call-ledger.js';
import { CallMarks, type Coverage } from './call-marks.js';
import type { CallRecord } from './call-record.js';
import { EndedCalls } from './ended-calls.js';

/** How long a caller waits until the end of its call is stored. */
const TIMEOUT_MS = 5_000;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;
/** Maximum number of call ends that are retried during an outage, a few hundred bytes each. */
const MAX_UNSTORED = 100_000;

const AWAY = 'What this call used cannot be recorded at present.';

/**
 * Stores the usage of calls in the database. The end of a call is stored in one row, and the caller waits for this
 * write. The usage is counted later in the background.
 */
@Injectable()
export class StoredCallLedger extends CallLedger {
  private readonly logger = new Logger('Governance');
  private unstored = 0;
  private isClosing = false;

  constructor(
    private readonly database: OrgDatabase,
    private readonly spend: SpendGuard,
    private readonly marks: CallMarks,
    private readonly ends: CallEnds,
    private readonly ended: EndedCalls,
  ) {
    super();
    database.beforeClose(async () => {
      this.isClosing = true;
    });
  }

  override cover(call: CallRecord, outputTokens: number): Promise<void> {
    return this.marks.cover(call, outputTokens);
  }

  override async settle(
    call: CallRecord,
    usage: CallUsage,
    { outputTokens, isCovered }: CallProgress,
    host?: HostTransaction,
  ): Promise<void> {
    const coverage = this.marks.take(call);
    const text = endedEventOf(call, usage, outputTokens, coverage.state === 'in doubt');
    const tx = host && hostSql(host);
    if (tx) return this.endIn(tx, call, { ...endOf(call, text), isCovered });
    // Once its end is stored, the call has a row. This is certain only if no earlier write is in doubt.
    const isCertain = coverage.state === 'new' || coverage.state === 'written';
    return this.untilStored(() => this.store(coverage, text, { ...endOf(call, text), isCovered: true, isCertain }));
  }

  override async release(call: CallRecord, { isCovered }: CallProgress, host?: HostTransaction): Promise<void> {
    const isCertain = this.marks.take(call).state === 'written';
    const end = { ...endOf(call, undefined), isCovered, isCertain };
    const tx = host && hostSql(host);
    if (tx) return this.endIn(tx, call, end);
    if (isCovered) return this.untilStored(() => this.ended.record(call.orgId, end));
    const { decision, orgId } = call;
    if (decision?.reservation) await this.spend.release(orgId, decision.id);
  }

  override async flush(orgId: string): Promise<void> {
    await this.ended.flush(orgId);
  }

  private async endIn(tx: Parameters<OrgDatabase['join']>[0], { orgId }: CallRecord, end: CallEnd): Promise<void> {
    // The decision may have been made outside of this transaction, and may not be stored yet.
    if (end.decisionId !== undefined) await this.spend.store(orgId, [end.decisionId]);
    await this.ends.endWithin(await this.database.join(tx, orgId), orgId, [end]);
  }

  private async store(coverage: Coverage, event: string, end: CallEnd): Promise<void> {
    const { orgId } = coverage.call;
    if (await this.marks.end(coverage, event)) this.ended.add(orgId, end);
    // The row is gone: another process recorded the call after its lease expired, or the database lost the row in a
    // crash.
    else await this.ended.record(orgId, end);
  }

  /** Retries as long as the database is unavailable, even after the caller has stopped waiting. */
  private untilStored(store: () => Promise<void>): Promise<void> {
    if (this.unstored >= MAX_UNSTORED) return Promise.reject(new UnavailableError(AWAY));
    return within(TIMEOUT_MS, this.retrying(store), () => new UnavailableError(AWAY));
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

function endOf({ id, decision }: CallRecord, event: string | undefined): CallEnd {
  const decisionId = decision?.reservation && decision.id;
  return { id, decisionId, event, isCovered: false, isCertain: false };
}

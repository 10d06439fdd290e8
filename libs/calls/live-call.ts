import { Logger } from '@nestjs/common';
import { messageOf, NotFoundError, UnavailableError, within, type SpendGuard } from '#core';
import { isOutage, type HostTransaction } from '#database';
import type { CallUsage, OpenCall, UnavailableChoice } from './call.js';
import type { CallLedger, CallProgress } from './call-ledger.js';
import type { CallRecord } from './call-record.js';
import type { OpenPasses } from './open-passes.js';

/** Services that all calls of a process share. */
export interface CallContext {
  readonly ledger: CallLedger;
  readonly passes: OpenPasses;
  readonly spend: SpendGuard;
}

/** Settings of one call. */
export interface CallTerms {
  readonly onUnavailable: UnavailableChoice;
  /** The host's transaction. All writes of the call belong to it. */
  readonly host?: HostTransaction;
}

/** Maximum wait for a write, in milliseconds, if the call may continue without it. */
const DATABASE_TIMEOUT_MS = 250;

/** Output tokens that are written ahead at a time, so that a stream seldom waits for the database. */
const AHEAD_TOKENS = 256;

/** A running call of this process. */
export class LiveCall implements OpenCall {
  private readonly logger = new Logger('Governance');
  /** Number of output tokens that are already stored. */
  private durable = -1;
  /** Number of output tokens that were requested to be stored. */
  private asked = 0;
  private isCovered = false;
  private writing: Promise<void> | undefined;
  private ending: Promise<void> | undefined;

  constructor(
    private readonly call: CallRecord,
    private readonly terms: CallTerms,
    private readonly context: CallContext,
  ) {}

  get decision(): CallRecord['decision'] {
    return this.call.decision;
  }

  cover(outputTokens: number): Promise<void> | undefined {
    // In the host's transaction, a write-ahead would not be visible before the commit, so it is pointless.
    if (this.ending || this.terms.host) return undefined;
    this.asked = Math.max(this.asked, outputTokens);
    if (outputTokens > this.durable) return this.coverAsked(outputTokens);
    // Writes the next stretch of tokens ahead while the current stretch is passed on. If this fails, the caller that
    // needs the next stretch gets the error.
    if (outputTokens > this.durable - AHEAD_TOKENS / 2) this.write().catch(() => undefined);
    return undefined;
  }

  settle(usage: CallUsage): Promise<void> {
    this.ending ??= this.end(progress => this.context.ledger.settle(this.call, usage, progress, this.terms.host));
    return this.ending;
  }

  release(): Promise<void> {
    this.ending ??= this.end(progress => this.context.ledger.release(this.call, progress, this.terms.host)).catch(
      (error: unknown) => {
        if (!isAway(error)) throw error;
        this.logger.warn(`A reservation could not be released and will expire: ${messageOf(error)}`);
      },
    );
    return this.ending;
  }

  async extend(): Promise<void> {
    const { decision, orgId } = this.call;
    if (!decision?.reservation || this.ending || this.terms.host) return;
    if (await this.context.spend.extend(orgId, decision.id)) return;
    throw new NotFoundError('The reservation of this call was released or has expired; request a new decision.');
  }

  private async coverAsked(outputTokens: number): Promise<void> {
    while (this.durable < outputTokens) await this.write();
  }

  private write(): Promise<void> {
    this.writing ??= this.writeAhead().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private async writeAhead(): Promise<void> {
    const most = this.call.request.max_output_tokens ?? Number.POSITIVE_INFINITY;
    const mark = Math.max(Math.min(this.asked + AHEAD_TOKENS, most), this.asked);
    this.isCovered = true;
    try {
      await this.patiently(this.context.ledger.cover(this.call, mark));
    } catch (error) {
      if (this.terms.onUnavailable === 'refuse' || !isAway(error)) throw error;
      this.context.passes.note(this.call.orgId, 'cover', error);
    }
    this.durable = mark;
  }

  /** If calls may pass ungoverned, a slow database must not block them. The write continues in the background. */
  private patiently(work: Promise<void>): Promise<void> {
    if (this.terms.onUnavailable === 'refuse') return work;
    return within(DATABASE_TIMEOUT_MS, work, () => new UnavailableError('The database does not answer in time.'));
  }

  private async end(write: (progress: CallProgress) => Promise<void>): Promise<void> {
    // Waits for a running write-ahead, because it must not be stored after the end of the call.
    await this.writing?.catch(() => undefined);
    try {
      await this.patiently(write({ outputTokens: this.asked, isCovered: this.isCovered }));
    } catch (error) {
      if (this.terms.onUnavailable === 'refuse' || !isAway(error)) throw error;
      this.context.passes.note(this.call.orgId, 'settlement', error);
    }
  }
}

/** Whether the error is temporary, so that a retry may help. */
export function isAway(error: unknown): boolean {
  return error instanceof UnavailableError || isOutage(error);
}

import { metrics } from '@opentelemetry/api';
import { Injectable, Logger } from '@nestjs/common';
import { messageOf, METER, within } from '#core';
import { Scheduler } from '#scheduler';
import { AuditSink, isSet, type AuditRecord } from '../sinks/audit-sink.port.js';
import { STREAM_NAME } from '../siem.options.js';
import { recordsOf } from './records-of.js';
import { StreamStore, type Claim } from './stream-store.js';

/** Delays after consecutive failures, in milliseconds. After the last one, it is used again and again. */
const RETRY_DELAYS_MS = [1_000, 5_000, 30_000, 300_000] as const;
const LAST_DELAY_MS = 300_000;
/** Timeout of a batch in milliseconds, and additional time for a sink that ignores the signal. */
const WRITE_MS = 30_000;
const GRACE_MS = 2_000;
/** Maximum number of organizations per round, and number of organizations in parallel. */
const PIECE = 100;
const AT_ONCE = 4;

const OUTCOMES = ['accepted', 'repeated', 'failed'] as const;

/**
 * Sends the audit log and other waiting records to the sink. Each organization is processed by one process at a time.
 */
@Injectable()
export class AuditStream {
  /** Sends all waiting records that may be sent now. Returns the number of records that the sink has accepted. */
  readonly send: () => Promise<number>;
  private readonly logger = new Logger('Governance');
  private readonly records = metrics.getMeter(METER).createCounter('governance.audit_sink.records', {
    description:
      'Records that were sent to the SIEM: accepted, accepted and perhaps repeated, or not accepted and tried again',
    unit: '{record}',
  });

  private isDown = false;

  constructor(
    private readonly sink: AuditSink,
    private readonly store: StreamStore,
    scheduler: Scheduler,
  ) {
    // Without a sink, no job is scheduled.
    if (!isSet(sink)) {
      this.send = async () => 0;
      return;
    }
    assertName(sink.name);
    for (const outcome of OUTCOMES) this.records.add(0, { 'governance.outcome': outcome });
    this.send = scheduler.add({
      name: 'audit-stream',
      pattern: '*/2 * * * * *',
      failure: 'The audit log could not be streamed',
      round: () => this.round(),
    });
  }

  private async round(): Promise<number> {
    const orgIds = await this.store.behind(this.sink.name, PIECE);
    let sent = 0;
    const faults: unknown[] = [];
    for (let at = 0; at < orgIds.length; at += AT_ONCE) {
      const piece = orgIds.slice(at, at + AT_ONCE);
      // An error of one organization does not affect other organizations.
      for (const result of await Promise.allSettled(piece.map(orgId => this.sendOf(orgId)))) {
        if (result.status === 'fulfilled') sent += result.value;
        else faults.push(result.reason);
      }
    }
    if (faults.length > 0) throw faults[0];
    return sent;
  }

  private async sendOf(orgId: string): Promise<number> {
    const claim = await this.store.claim(this.sink.name, orgId);
    if (!claim) return 0;
    const records = recordsOf(claim);
    try {
      if (records.length > 0) await this.write(records);
    } catch (error) {
      await this.fail(claim, records.length, error);
      return 0;
    }
    if (!(await this.store.accept(this.sink.name, claim))) return 0;
    this.count(records);
    return records.length;
  }

  private async write(records: readonly AuditRecord[]): Promise<void> {
    const signal = AbortSignal.timeout(WRITE_MS);
    await within(
      WRITE_MS + GRACE_MS,
      this.sink.write(records, signal),
      () => new Error(`The sink took longer than ${WRITE_MS / 1_000} seconds.`),
    );
    if (!this.isDown) return;
    this.isDown = false;
    this.logger.warn(`The audit sink ${this.sink.name} accepts records again.`);
  }

  private async fail(claim: Claim, count: number, error: unknown): Promise<void> {
    this.records.add(count, { 'governance.outcome': 'failed' });
    // Logs one line per outage. `doctor` and the metrics show its duration.
    if (!this.isDown) {
      this.logger.warn(`The audit sink ${this.sink.name} does not accept records, which wait: ${messageOf(error)}`);
    }
    this.isDown = true;
    const delay = RETRY_DELAYS_MS[claim.failures] ?? LAST_DELAY_MS;
    await this.store.fail(this.sink.name, claim, messageOf(error), delay);
  }

  private count(records: readonly AuditRecord[]): void {
    const repeated = records.filter(({ mayBeRepeated }) => mayBeRepeated).length;
    if (repeated > 0) this.records.add(repeated, { 'governance.outcome': 'repeated' });
    this.records.add(records.length - repeated, { 'governance.outcome': 'accepted' });
  }
}

function assertName(name: string): void {
  if (STREAM_NAME.test(name)) return;
  throw new Error('auditSink: name must be 1 to 40 characters of a-z, 0-9, - and _');
}

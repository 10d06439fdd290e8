import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { DecisionLog } from '#policy';
import { reporterOf, UsageIngestion, type RawEvent, type UsageReceipt } from '#usage';
import { isRecord } from '../records.js';
import { entriesOf } from './log-entries.js';
import { entryFieldOf, readLogEntry, type CostSource } from './log-entry.js';

/** The results of log entries. */
export interface LogReceipt extends UsageReceipt {
  /** Number of entries without usage: failed calls, and answers from LiteLLM's own cache. */
  readonly ignored: number;
}

interface Reported {
  readonly event: RawEvent;
  /** Key of the decision about the call. Undefined if the guardrail requested no decision. */
  readonly callKey?: string | undefined;
}

/** Converts the log of LiteLLM to usage events. */
@Injectable()
export class LogSink {
  constructor(
    private readonly ingestion: UsageIngestion,
    private readonly decisions: DecisionLog,
  ) {}

  /**
   * Records the calls in a log. Entries with the same id count once. If the guardrail requested a decision about a
   * call, the usage settles that decision.
   * @throws BadRequestError if the body contains no valid entry
   */
  async record(actor: Actor, body: unknown, cost: CostSource): Promise<LogReceipt> {
    const { orgId } = actor;
    const entries = entriesOf(body);
    const reported = entries.flatMap(entry => reportedOf(entry, cost));
    const events = await this.withDecisions(orgId, reported);
    const receipt = await this.ingestion.recordRaw(orgId, events, { reporter: reporterOf(actor) });
    const rejected = receipt.rejected.map(({ index, id, field, message }) => {
      return { index, id, field: entryFieldOf(field), message };
    });
    return { ...receipt, rejected, ignored: entries.length - reported.length };
  }

  private async withDecisions(orgId: string, reported: readonly Reported[]): Promise<RawEvent[]> {
    const keys = [...new Set(reported.flatMap(({ callKey }) => callKey ?? []))];
    const known = keys.length > 0 ? await this.decisions.byKeys(orgId, keys) : [];
    const ids = new Map(known.map(({ id, request }) => [request.idempotency_key, id]));
    return reported.map(({ event, callKey }) => decided(event, callKey === undefined ? undefined : ids.get(callKey)));
  }
}

function reportedOf(entry: RawEvent, cost: CostSource): Reported[] {
  if ('refusal' in entry) return [{ event: entry }];
  const { index } = entry;
  const read = readLogEntry(entry.raw, cost);
  if (read === 'ignored') return [];
  if ('refusal' in read) return [{ event: { index, refusal: read.refusal } }];
  return [{ event: { index, raw: read.event }, callKey: read.callKey }];
}

function decided(event: RawEvent, decisionId: string | undefined): RawEvent {
  if (decisionId === undefined || 'refusal' in event || !isRecord(event.raw)) return event;
  return { index: event.index, raw: { ...event.raw, decision_id: decisionId } };
}

import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { shortened } from '#core';
import { isConflict, reporterOf, UsageIngestion, type RawEvent, type RejectedEvent } from '#usage';
import { reportsOfMetrics } from './claude-code-metrics.js';
import { reportsOfLogs } from './claude-code-request.js';
import { reportsOfSpans } from './genai-span.js';
import { itemsOf, type Nesting } from './otlp-json.js';
import { decodeRequest } from './otlp-protobuf.js';
import type { Report, ReportsOf, TelemetryContext } from './report.js';
import type { Signal } from './signal.js';

/** The rejected part of an export; undefined if everything was accepted. */
export interface PartialSuccess {
  readonly rejected: number;
  readonly errorMessage: string;
}

interface SignalForm {
  readonly nesting: Nesting;
  /** Plural name of the items in error messages. */
  readonly item: string;
  readonly reportsOf: ReportsOf;
}

const SIGNALS: Record<Signal, SignalForm> = {
  traces: { nesting: ['resourceSpans', 'scopeSpans', 'spans'], item: 'span', reportsOf: reportsOfSpans },
  logs: { nesting: ['resourceLogs', 'scopeLogs', 'logRecords'], item: 'log record', reportsOf: reportsOfLogs },
  metrics: { nesting: ['resourceMetrics', 'scopeMetrics', 'metrics'], item: 'point', reportsOf: reportsOfMetrics },
};

const EVENTS_AT_ONCE = 1_000;
const NAMED_MAX = 5;
const MESSAGE_MAX = 1_000;

/** Converts telemetry about uses of models to usage events. */
@Injectable()
export class TelemetrySink {
  constructor(private readonly ingestion: UsageIngestion) {}

  /**
   * Records the uses of models that an export reports, each once. Ignores everything else. The body is JSON, or
   * protobuf as bytes.
   * @throws BadRequestError if the body is not OTLP
   */
  async record(
    actor: Actor,
    signal: Signal,
    body: unknown,
    telemetry: TelemetryContext,
  ): Promise<PartialSuccess | undefined> {
    const { nesting, item, reportsOf } = SIGNALS[signal];
    const request = body instanceof Uint8Array ? decodeRequest(signal, body) : body;
    const reports = reportsOf(itemsOf(request, nesting), telemetry);
    const rejected: RejectedEvent[] = [];
    for (let at = 0; at < reports.length; at += EVENTS_AT_ONCE) {
      const events = reports.slice(at, at + EVENTS_AT_ONCE).map((report, offset) => eventOf(report, at + offset));
      const receipt = await this.ingestion.recordRaw(actor.orgId, events, { reporter: reporterOf(actor) });
      // The other signal has already reported this request, so it is already counted.
      rejected.push(...receipt.rejected.filter(each => !(isConflict(each) && reports[each.index]?.reportedTwice)));
    }
    if (rejected.length === 0) return undefined;
    const itemsFrom = (each: RejectedEvent): readonly number[] => reports[each.index]?.from ?? [];
    return {
      rejected: rejected.reduce((sum, each) => sum + itemsFrom(each).length, 0),
      errorMessage: messageOf(rejected, each => `${item} ${itemsFrom(each)[0] ?? 0}`),
    };
  }
}

function eventOf(report: Report, index: number): RawEvent {
  return 'event' in report ? { index, raw: report.event } : { index, refusal: report.refusal };
}

function messageOf(rejected: readonly RejectedEvent[], placeOf: (each: RejectedEvent) => string): string {
  const named = rejected.slice(0, NAMED_MAX).map(each => `${placeOf(each)}: ${each.field} ${each.message}`);
  const others = rejected.length - named.length;
  return shortened(named.join('; ') + (others > 0 ? `; and ${others} more` : ''), MESSAGE_MAX);
}

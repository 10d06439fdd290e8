import { Injectable } from '@nestjs/common';
import { shortened } from '#core';
import { UsageIngestion, type RawEvent, type RejectedEvent } from '#usage';
import { readSpan } from './genai-span.js';
import { spansOf } from './otlp-json.js';

/** OTLP's ExportTraceServiceResponse. Without `partialSuccess`, all spans were taken. */
export interface TraceAnswer {
  /** The count is a text, as OTLP writes integers of 64 bits in JSON. */
  readonly partialSuccess?: { readonly rejectedSpans: string; readonly errorMessage: string };
}

const EVENTS_AT_ONCE = 1_000;
const NAMED_MAX = 5;
const MESSAGE_MAX = 1_000;

/** Turns GenAI spans into usage events. */
@Injectable()
export class TraceSink {
  constructor(private readonly ingestion: UsageIngestion) {}

  /**
   * Records the uses of models that spans report; other spans are ignored. A span counts once by its trace and span id.
   * @throws BadRequestError where the body is no OTLP
   */
  async record(orgId: string, body: unknown): Promise<TraceAnswer> {
    const events = spansOf(body).flatMap((span, index): RawEvent[] => {
      const read = readSpan(span);
      if (read === 'ignored') return [];
      return ['event' in read ? { index, raw: read.event } : { index, refusal: read.refusal }];
    });
    const rejected: RejectedEvent[] = [];
    for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
      const receipt = await this.ingestion.recordRaw(orgId, events.slice(at, at + EVENTS_AT_ONCE));
      rejected.push(...receipt.rejected);
    }
    if (rejected.length === 0) return {};
    return { partialSuccess: { rejectedSpans: String(rejected.length), errorMessage: messageOf(rejected) } };
  }
}

function messageOf(rejected: readonly RejectedEvent[]): string {
  const named = rejected.slice(0, NAMED_MAX).map(({ index, field, message }) => `span ${index}: ${field} ${message}`);
  const others = rejected.length - named.length;
  return shortened(named.join('; ') + (others > 0 ? `; and ${others} more` : ''), MESSAGE_MAX);
}

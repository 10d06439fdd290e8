import { SpanKind, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api';
import { METER } from '#core';

/**
 * Runs work inside a child of the active span. If the work rejects, the span is marked as failed. The error message is
 * not recorded, because it may contain data. Without a tracer, only the work runs.
 */
export function traced<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
  kind: SpanKind = SpanKind.INTERNAL,
): Promise<Result> {
  return trace.getTracer(METER).startActiveSpan(name, { kind, attributes }, async span => {
    try {
      return await work();
    } catch (error) {
      span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { METER } from '#core';
import type { EgressAnswer, EgressRequest } from './egress-request.js';

/**
 * Ends a span when the response to the call arrives. The span contains the server but not the path, because paths of
 * webhooks and chats contain secrets.
 */
export async function traceCall(
  { method, purpose }: EgressRequest,
  { host, port }: { host: string; port: number },
  answer: Promise<EgressAnswer>,
): Promise<void> {
  const span = trace.getTracer(METER).startSpan(method, {
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': method,
      'server.address': host,
      'server.port': port,
      'governance.purpose': purpose,
    },
  });
  const { status, error } = await answer;
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  const fault = error?.code ?? (status !== undefined && status >= 400 ? String(status) : undefined);
  if (fault !== undefined) {
    span.setAttribute('error.type', fault);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

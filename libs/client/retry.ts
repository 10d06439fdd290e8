import type { ApiError } from './api.errors.js';
import type { Operation } from './request.js';

/** Methods that may be sent again where it is not known whether the request was carried out. */
const REPEATABLE_METHODS = new Set(['GET', 'PUT', 'DELETE']);

/** Reports count each of their entries once, however often they are sent. */
const REPEATABLE = new Set(['reportUsage', 'reportTraces', 'reportLitellmLogs']);

/**
 * Whether an answer may be followed by another try: after 429, because such a request was not carried out; after 503
 * only where carrying it out twice does no harm. Both only where the answer says how long to wait.
 */
export function mayRetry(operation: Operation, body: unknown, { status, retryAfterMs }: ApiError): boolean {
  if (retryAfterMs === undefined) return false;
  return status === 429 || (status === 503 && isRepeatable(operation, body));
}

function isRepeatable({ method, name }: Operation, body: unknown): boolean {
  if (REPEATABLE_METHODS.has(method) || REPEATABLE.has(name)) return true;
  return typeof body === 'object' && body !== null && 'idempotency_key' in body;
}

/** Waits. @throws the signal's reason as soon as it aborts */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    const abort = (): void => {
      clearTimeout(timer);
      // Whatever the caller gave as the reason is what the caller expects to catch.
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

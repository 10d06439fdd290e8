import type { ApiError } from './api.errors.js';
import type { Operation } from './request.js';

/** Methods that are safe to repeat if it is unknown whether the request was executed. */
const REPEATABLE_METHODS = new Set(['GET', 'PUT', 'DELETE']);

/** Operations that are safe to repeat, because the service counts each entry once. */
const REPEATABLE = new Set(['reportUsage', 'reportTraces', 'reportLitellmLogs']);

/**
 * Whether to retry after an error response. After 429, a retry is safe, because the service has not executed the
 * request. After 503, only requests that are safe to repeat are retried. Both require that the response names the
 * delay.
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
      // The caller expects the reason of its signal as the error.
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

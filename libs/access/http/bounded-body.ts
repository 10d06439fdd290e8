import { NAMED_FAULTS_MAX, shortened, type FieldError } from '#core';

/** Minimum size limit of an error response; the limit is twice the size of the request if that is larger. */
const ANSWER_MIN_BYTES = 64 * 1024;

const TEXT_MAX = 4_000;
const FIELD_MAX = 200;
const MESSAGE_MAX = 1_000;
const DETAILS_BYTES_MAX = 32 * 1024;

/** Maximum size of the error response to a request of this size. */
export function answerBytesMax(requestBytes: number): number {
  return Math.max(ANSWER_MIN_BYTES, 2 * (Number.isFinite(requestBytes) ? requestBytes : 0));
}

/**
 * Truncates the body of an error: every text to its limit, and only the first errors; `details_omitted` counts the
 * others. Limits every error body to 64 KiB, even if it repeats parts of the input.
 */
export function boundedBody(body: object): object {
  const texts = Object.entries(body).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? shortened(value, TEXT_MAX) : value,
  ]);
  return Object.fromEntries(texts) as object;
}

/** The first errors of a list, as an answer names them. */
export function namedFaults(faults: readonly FieldError[]): { details: FieldError[]; details_omitted?: number } {
  const details: FieldError[] = [];
  let bytes = 0;
  for (const { field, message } of faults) {
    const fault = { field: shortened(field, FIELD_MAX), message: shortened(message, MESSAGE_MAX) };
    bytes += Buffer.byteLength(JSON.stringify(fault));
    if (details.length > 0 && (details.length === NAMED_FAULTS_MAX || bytes > DETAILS_BYTES_MAX)) break;
    details.push(fault);
  }
  const omitted = faults.length - details.length;
  return omitted > 0 ? { details, details_omitted: omitted } : { details };
}

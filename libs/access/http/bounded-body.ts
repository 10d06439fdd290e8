import { NAMED_FAULTS_MAX, shortened, type FieldError } from '#core';

/**
 * Minimum size limit of an error response. The limit is twice the size of the request if that is larger than this
 * minimum.
 */
const ANSWER_MIN_BYTES = 64 * 1024;

const TEXT_MAX = 4_000;
const FIELD_MAX = 200;
const MESSAGE_MAX = 1_000;
const DETAILS_BYTES_MAX = 32 * 1024;

/** Maximum size of the error response to a request of the given size. */
export function answerBytesMax(requestBytes: number): number {
  return Math.max(ANSWER_MIN_BYTES, 2 * (Number.isFinite(requestBytes) ? requestBytes : 0));
}

/**
 * Truncates the body of an error response: long texts are cut, and only the first errors are listed. `details_omitted`
 * counts the other errors. The result has at most 64 KiB, even if it repeats parts of the input.
 */
export function boundedBody(body: object): object {
  const texts = Object.entries(body).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? shortened(value, TEXT_MAX) : value,
  ]);
  return Object.fromEntries(texts) as object;
}

/** The first errors of a list, in the form of an error response. */
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

const DATA_FAULT = /^(2[23]|54)/;
const CAUSES_MAX = 5;

/**
 * Whether a value itself is at fault, so that trying again cannot help: JSON has no word for it (TypeError), it is longer
 * than a text can be (RangeError), or PostgreSQL refused it (SQLSTATE classes 22 and 23) or cannot hold so much (54).
 */
export function isDataFault(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  for (let cause = error, depth = 0; cause instanceof Error && depth < CAUSES_MAX; cause = cause.cause, depth++) {
    const code: unknown = Reflect.get(cause, 'code');
    if (typeof code === 'string' && code.length === 5 && DATA_FAULT.test(code)) return true;
  }
  return false;
}

/** SQLSTATE classes of a server that is away, full, starting, stopping, or in the way of another transaction. */
const OUTAGE_STATE = /^(08|25|40|53|55|57|58|XX)/;
// What pg and its pool say without a code when a connection could not be had, or was lost.
const OUTAGE_WORDS =
  /connection terminated|connection ended|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|client was closed|cannot use a pool after/i;
/** Of the operating system (`ECONNRESET`), not of Node.js (`ERR_INVALID_ARG_TYPE`). */
const SYSTEM_CODE = /^E(?!RR_)[A-Z]/;

/** Whether the database is at fault and not what was asked of it, so that trying again later can help. */
export function isOutage(error: unknown): boolean {
  for (let cause = error, depth = 0; isErrorLike(cause) && depth < CAUSES_MAX; cause = cause.cause, depth++) {
    const code: unknown = Reflect.get(cause, 'code');
    // First, because EPIPE has the length of a state of PostgreSQL; none of those begins with E.
    if (typeof code === 'string' && SYSTEM_CODE.test(code)) return true;
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return OUTAGE_STATE.test(code);
    if (OUTAGE_WORDS.test(cause.message)) return true;
  }
  return false;
}

/** Errors of Node.js itself may come from another realm than this file's `Error`. */
function isErrorLike(value: unknown): value is { message: string; cause?: unknown } {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}

import { isErrorLike } from '#core';

/**
 * Why a statement failed.
 * - `value`: PostgreSQL cannot store a value, and never will.
 * - `constraint`: a value contradicts what is stored.
 * - `contention`: another transaction was in the way; the same transaction may succeed when it is repeated.
 * - `outage`: the database is away, starting, stopping, full, or did not answer in time; trying again later can help.
 */
export type DatabaseFault = 'value' | 'constraint' | 'contention' | 'outage';

// SQLSTATE, appendix A of PostgreSQL's manual: a state wins over its class.
const FAULT_OF_STATE: Readonly<Record<string, DatabaseFault>> = { '55P03': 'contention' };
const FAULT_OF_CLASS: Readonly<Record<string, DatabaseFault>> = {
  '08': 'outage',
  '22': 'value',
  '23': 'constraint',
  '25': 'outage',
  '40': 'contention',
  '53': 'outage',
  '54': 'value',
  '55': 'outage',
  // Includes statements that `statement_timeout` canceled.
  '57': 'outage',
  '58': 'outage',
  XX: 'outage',
};
const STATE = /^[0-9A-Z]{5}$/;
const CAUSES_MAX = 5;

/** Codes of the operating system for a connection that failed or was lost. */
const CONNECTION_CODE =
  /^(ECONN[A-Z]+|ETIMEDOUT|ENOTFOUND|EAI_[A-Z]+|EHOST[A-Z]+|ENET[A-Z]+|EPIPE|EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL)$/;
// pg and its pool raise these without a code.
const CONNECTION_WORDS =
  /connection terminated|connection ended|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|client was closed|cannot use a pool after/i;

/** Classifies a database error; undefined for any other error. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  for (let cause = error, depth = 0; isErrorLike(cause) && depth < CAUSES_MAX; cause = cause.cause, depth++) {
    const { code } = cause;
    if (typeof code === 'string') {
      // A missing Unix socket is ENOENT, so the failed system call distinguishes it.
      if (CONNECTION_CODE.test(code) || Reflect.get(cause, 'syscall') === 'connect') return 'outage';
      if (STATE.test(code)) return FAULT_OF_STATE[code] ?? FAULT_OF_CLASS[code.slice(0, 2)];
    }
    if (CONNECTION_WORDS.test(cause.message)) return 'outage';
  }
  return undefined;
}

/**
 * Whether a value itself is at fault, so that trying again cannot help. JavaScript's own errors count, too: JSON has no
 * word for the value (TypeError), or it is longer than a text can be (RangeError).
 */
export function isDataFault(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  const fault = databaseFault(error);
  return fault === 'value' || fault === 'constraint';
}

/** Whether the fault lies in the database and not in the request, so that a later retry can help. */
export function isOutage(error: unknown): boolean {
  const fault = databaseFault(error);
  return fault === 'outage' || fault === 'contention';
}

import { isErrorLike } from '#core';

/**
 * Why a statement failed.
 * - `value`: PostgreSQL can never store the value.
 * - `constraint`: a value conflicts with stored data.
 * - `contention`: a conflict with another transaction; a retry of the transaction may succeed.
 * - `outage`: the database is down, starting, stopping, full, or did not answer in time; a later retry may succeed.
 */
export type DatabaseFault = 'value' | 'constraint' | 'contention' | 'outage';

// SQLSTATE, appendix A of PostgreSQL's manual. An entry for a state takes precedence over one for its class.
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
 * Whether a value itself is at fault, so that a retry is useless. Includes JavaScript errors: the value has no JSON
 * form (TypeError), or its text would be too long (RangeError).
 */
export function isDataFault(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  const fault = databaseFault(error);
  return fault === 'value' || fault === 'constraint';
}

/** Whether the database is at fault and not the request, so that a later retry may succeed. */
export function isOutage(error: unknown): boolean {
  const fault = databaseFault(error);
  return fault === 'outage' || fault === 'contention';
}

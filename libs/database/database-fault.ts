import { isErrorLike } from '#core';

/**
 * Why a statement failed.
 * - `value`: PostgreSQL can never store the value.
 * - `constraint`: a value violates a constraint, for example because it conflicts with stored data.
 * - `contention`: the statement conflicted with another transaction. A retry of the transaction may succeed.
 * - `outage`: the database is down, starting, stopping or full, or did not respond in time. A later retry may succeed.
 */
export type DatabaseFault = 'value' | 'constraint' | 'contention' | 'outage';

// SQLSTATEs and their classes (appendix A of PostgreSQL's manual). If a state has its own entry, the entry of its class
// does not apply.
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
  // The class includes statements that `statement_timeout` canceled.
  '57': 'outage',
  '58': 'outage',
  XX: 'outage',
};
const STATE = /^[0-9A-Z]{5}$/;
const CAUSES_MAX = 5;

/** Codes of the operating system for a connection that failed or was lost. */
const CONNECTION_CODE =
  /^(ECONN[A-Z]+|ETIMEDOUT|ENOTFOUND|EAI_[A-Z]+|EHOST[A-Z]+|ENET[A-Z]+|EPIPE|EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL)$/;
// Messages of errors that pg and its pool throw without a code.
const CONNECTION_WORDS =
  /connection terminated|connection ended|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|client was closed|cannot use a pool after/i;

/** Classifies a database error; undefined for any other error. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  for (let cause = error, depth = 0; isErrorLike(cause) && depth < CAUSES_MAX; cause = cause.cause, depth++) {
    const { code } = cause;
    if (typeof code === 'string') {
      // A missing Unix socket has the code ENOENT, as a missing file has. The failed system call shows that it was a
      // connection.
      if (CONNECTION_CODE.test(code) || Reflect.get(cause, 'syscall') === 'connect') return 'outage';
      if (STATE.test(code)) return FAULT_OF_STATE[code] ?? FAULT_OF_CLASS[code.slice(0, 2)];
    }
    if (CONNECTION_WORDS.test(cause.message)) return 'outage';
  }
  return undefined;
}

/**
 * Whether a value itself causes the error, so that a retry is useless. Includes JavaScript errors: the value has no
 * JSON form (TypeError), or its text would be too long (RangeError).
 */
export function isDataFault(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  const fault = databaseFault(error);
  return fault === 'value' || fault === 'constraint';
}

/** Whether the database, and not the request, causes the error. A later retry may then succeed. */
export function isOutage(error: unknown): boolean {
  const fault = databaseFault(error);
  return fault === 'outage' || fault === 'contention';
}

const DATA_FAULT = /^2[23]/;
const CAUSES_MAX = 5;

/**
 * Whether a value itself is at fault, so that trying again cannot help: JSON has no word for it (TypeError), or
 * PostgreSQL refused it (SQLSTATE classes 22 and 23).
 */
export function isDataFault(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  for (let cause = error, depth = 0; cause instanceof Error && depth < CAUSES_MAX; cause = cause.cause, depth++) {
    const code: unknown = Reflect.get(cause, 'code');
    if (typeof code === 'string' && code.length === 5 && DATA_FAULT.test(code)) return true;
  }
  return false;
}

/** SQLSTATE classes of a server that is away, full, starting, stopping, or in the way of another transaction. */
const OUTAGE_STATE = /^(08|25|40|53|55|57|58|XX)/;
const OUTAGE_WORDS = /connection|timeout|terminat|pool/i;

/** Whether the database is at fault and not what was asked of it, so that trying again later can help. */
export function isOutage(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < CAUSES_MAX; cause = cause.cause, depth++) {
    const code: unknown = Reflect.get(cause, 'code');
    if (typeof code === 'string' && code.length === 5 && /^[0-9A-Z]{5}$/.test(code)) return OUTAGE_STATE.test(code);
    if (typeof code === 'string' && code.startsWith('E')) return true;
  }
  return error instanceof Error && OUTAGE_WORDS.test(error.message);
}

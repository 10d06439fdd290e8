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

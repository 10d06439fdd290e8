import { setTimeout as sleep } from 'node:timers/promises';

// PostgreSQL error codes, appendix A: serialization_failure and deadlock_detected.
const TRANSIENT = new Set(['40001', '40P01']);
const ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 40;

/** Runs a transaction again where PostgreSQL ended it in favour of another one; at most five times. */
export async function retryingConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === ATTEMPTS || !isTransient(error)) throw error;
      await sleep(Math.random() * LONGEST_PAUSE_MS);
    }
  }
}

/** Whether an error, or a cause below it, is a conflict between transactions that a repetition resolves. */
export function isTransient(error: unknown): boolean {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (TRANSIENT.has(String(Reflect.get(cause, 'code')))) return true;
  }
  return false;
}

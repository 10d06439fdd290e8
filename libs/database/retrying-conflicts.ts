import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFault } from './database-fault.js';

const ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 40;

/** Retries a transaction that PostgreSQL aborted because of a conflict, at most five times. */
export async function retryingConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === ATTEMPTS || databaseFault(error) !== 'contention') throw error;
      await sleep(Math.random() * LONGEST_PAUSE_MS);
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError } from '#core';

/** How long a deletion waits for the SIEM to receive the organization's rows. */
export interface SendingTerms {
  /** Deletes without waiting for the SIEM to receive the rows. Default: false. */
  readonly dropUnsent?: boolean;
  /** Maximum wait in milliseconds. Default: 60,000. */
  readonly waitMs?: number;
  /** Called with the reason when a wait begins. There may be one wait before the export, and one after it. */
  readonly waits?: (reason: string) => void;
}

const WAIT_MS = 60_000;
const EVERY_MS = 500;

/**
 * Resolves once all rows of the organization have been sent.
 * @param read returns the reason why rows still wait to be sent, or undefined
 * @throws ConflictError with the reason, if this takes too long
 */
export async function waitUntilSent(
  read: () => Promise<string | undefined>,
  { dropUnsent = false, waitMs = WAIT_MS, waits }: SendingTerms,
): Promise<void> {
  if (dropUnsent) return;
  const end = performance.now() + waitMs;
  let reason = await read();
  if (reason !== undefined) waits?.(reason);
  while (reason !== undefined) {
    if (performance.now() >= end) throw new ConflictError(`${reason} ${REMEDY}`);
    await sleep(EVERY_MS);
    reason = await read();
  }
}

const REMEDY =
  'No row is deleted. A running app sends them: run the same command again then. To delete them unsent, add ' +
  '--drop-unsent (dropUnsent).';

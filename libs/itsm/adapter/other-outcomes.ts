import { AdapterHttpError } from './adapter-http.js';
import type { CreateFailure } from './create-outcome.js';
import { PlatformAnswerError } from './platform-answer.js';
import type { UpdateOutcome } from './ticket-change.js';

/**
 * The outcome of a create for which a lookup failed: nothing was sent, so nothing was created.
 * @throws any error that is not the failure of a lookup
 */
export function outcomeOfLookup(error: unknown): CreateFailure {
  if (error instanceof AdapterHttpError) return { kind: 'retryable', message: error.message };
  if (!(error instanceof PlatformAnswerError)) throw error;
  const { message, platform } = error;
  const { code, retryAfterMs } = platform;
  if (code !== undefined) return { kind: 'rejected', code, message };
  return { kind: 'retryable', message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** The outcome of a change, from what the same answer to a create would mean. */
export function outcomeOfChange(outcome: CreateFailure): UpdateOutcome {
  if (outcome.kind === 'rejected') return { kind: 'refused', code: outcome.code, message: outcome.message };
  if (outcome.kind === 'retryable') return outcome;
  return { kind: 'uncertain', message: 'The platform failed, or did not confirm the change: it may have made it.' };
}

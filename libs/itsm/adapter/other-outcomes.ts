import { AdapterHttpError } from './adapter-http.js';
import type { CreateFailure } from './create-outcome.js';
import { PlatformAnswerError } from './platform-answer.js';
import type { UpdateOutcome } from './ticket-change.js';

/**
 * Outcome of a create if a lookup failed before the create request was sent: nothing was created.
 * @throws the error if it is not a failed lookup
 */
export function outcomeOfLookup(error: unknown): CreateFailure {
  if (error instanceof AdapterHttpError) return { kind: 'retryable', message: error.message };
  if (!(error instanceof PlatformAnswerError)) throw error;
  const { message, platform } = error;
  const { code, retryAfterMs } = platform;
  if (code !== undefined) return { kind: 'rejected', code, message };
  return { kind: 'retryable', message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Converts the outcome of a create to the outcome of a change that got the same answer. */
export function outcomeOfChange(outcome: CreateFailure): UpdateOutcome {
  if (outcome.kind === 'rejected') return { kind: 'refused', code: outcome.code, message: outcome.message };
  if (outcome.kind === 'retryable') return outcome;
  return { kind: 'uncertain', message: 'The platform failed, or did not confirm the change: it may have made it.' };
}

import { AdapterHttpError } from './adapter-http.js';
import type { TicketRef } from './create-outcome.js';
import type { AdapterContext, ItsmAdapter } from './itsm-adapter.port.js';
import { PlatformAnswerError } from './platform-answer.js';
import type { TicketChange, UpdateOutcome } from './ticket-change.js';

/** Makes one attempt to change a ticket, and maps exceptions of the adapter to outcomes as the port defines. Never rejects. */
export async function attemptUpdate<Settings extends object, Secrets extends object>(
  adapter: ItsmAdapter<Settings, Secrets>,
  context: AdapterContext<Settings, Secrets>,
  ref: TicketRef,
  change: TicketChange,
): Promise<UpdateOutcome> {
  if (!adapter.update) return { kind: 'refused', code: 'config', message: 'The adapter does not change tickets.' };
  try {
    return await adapter.update(context, ref, change);
  } catch (error) {
    if (error instanceof PlatformAnswerError) return outcomeOf(error);
    if (error instanceof AdapterHttpError) {
      return { kind: error.phase === 'not_sent' ? 'retryable' : 'uncertain', message: error.message };
    }
    // Messages of foreign errors may contain secrets, such as parts of the request.
    return { kind: 'uncertain', message: 'The adapter failed; whether the ticket was changed is not known.' };
  }
}

/** Maps a PlatformAnswerError. Adapters throw this error for read requests only, so nothing was changed. */
function outcomeOf({ message, platform }: PlatformAnswerError): UpdateOutcome {
  const { code, retryAfterMs } = platform;
  if (code !== undefined) return { kind: 'refused', code, message };
  return { kind: 'retryable', message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

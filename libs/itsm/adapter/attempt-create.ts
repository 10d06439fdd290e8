import type { Json } from '#core';
import { AdapterHttpError } from './adapter-http.js';
import type { CreateOutcome } from './create-outcome.js';
import type { AdapterContext, ItsmAdapter } from './itsm-adapter.port.js';
import type { RenderedTicket } from './ticket-draft.js';

/**
 * Makes one attempt to create a ticket. Converts exceptions of the adapter to outcomes, as the port defines. Never
 * rejects.
 */
export async function attemptCreate<Settings extends object, Secrets extends object>(
  adapter: ItsmAdapter<Settings, Secrets>,
  context: AdapterContext<Settings, Secrets>,
  ticket: RenderedTicket<Json>,
  key: string,
): Promise<CreateOutcome> {
  try {
    return await adapter.create(context, ticket, key);
  } catch (error) {
    if (!(error instanceof AdapterHttpError)) {
      // The message of any other error may contain secrets, such as parts of the request.
      return { kind: 'uncertain', message: 'The adapter failed; whether the ticket was created is not known.' };
    }
    return { kind: error.phase === 'not_sent' ? 'retryable' : 'uncertain', message: error.message };
  }
}

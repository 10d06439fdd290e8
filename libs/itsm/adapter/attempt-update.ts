import type { Clock } from '#core';
import { AdapterHttp, AdapterHttpError, type AdapterRequest, type AdapterResponse } from './adapter-http.js';
import type { TicketRef } from './create-outcome.js';
import type { AdapterContext, ItsmAdapter } from './itsm-adapter.port.js';
import { PlatformAnswerError } from './platform-answer.js';
import type { TicketChange, UpdateOutcome } from './ticket-change.js';

/**
 * Makes one attempt to change a ticket. Converts exceptions of the adapter to outcomes, as the port defines. Never
 * rejects.
 */
export async function attemptUpdate<Settings extends object, Secrets extends object>(
  adapter: ItsmAdapter<Settings, Secrets>,
  context: AdapterContext<Settings, Secrets>,
  ref: TicketRef,
  change: TicketChange,
): Promise<UpdateOutcome> {
  if (!adapter.update) return { kind: 'refused', code: 'config', message: 'The adapter does not change tickets.' };
  const http = new DatedHttp(context.http, context.clock);
  try {
    const outcome = await adapter.update({ ...context, http }, ref, change);
    return outcome.kind === 'updated' && http.begunAt ? { occurredAt: http.begunAt, ...outcome } : outcome;
  } catch (error) {
    if (error instanceof PlatformAnswerError) return outcomeOf(error);
    if (error instanceof AdapterHttpError) {
      return { kind: error.phase === 'not_sent' ? 'retryable' : 'uncertain', message: error.message };
    }
    // Messages of foreign errors may contain secrets, such as parts of the request.
    return { kind: 'uncertain', message: 'The adapter failed; whether the ticket was changed is not known.' };
  }
}

/**
 * Estimates when the attempt began, by the clock of the platform, because the times in its reports are from that clock.
 * If its answers have no `Date`, the time is unknown. It is then not replaced by the time of another clock: reports of
 * later changes could be ignored.
 */
class DatedHttp extends AdapterHttp {
  begunAt: Date | undefined;
  private readonly startedAt: number;

  constructor(
    private readonly http: AdapterHttp,
    private readonly clock: Clock,
  ) {
    super();
    this.startedAt = clock.now().getTime();
  }

  async request(request: AdapterRequest): Promise<AdapterResponse> {
    const response = await this.http.request(request);
    const date = Date.parse(response.headers['date'] ?? '');
    const begunAt = date - (this.clock.now().getTime() - this.startedAt);
    if (!Number.isNaN(begunAt)) this.begunAt = new Date(Math.min(begunAt, this.startedAt));
    return response;
  }
}

/**
 * Converts a PlatformAnswerError to an outcome. Adapters throw this error only for read requests, so nothing was
 * changed.
 */
function outcomeOf({ message, platform }: PlatformAnswerError): UpdateOutcome {
  const { code, retryAfterMs } = platform;
  if (code !== undefined) return { kind: 'refused', code, message };
  return { kind: 'retryable', message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

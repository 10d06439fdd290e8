import {
  PlatformAnswerError,
  type AdapterResponse,
  type CreateOutcome,
  type Json,
  type JsonObject,
  type RenderedTicket,
  type TicketRef,
} from '#itsm';
import type { ItsmAdapterGround } from 'nest-llm-governance/testing';
import type {
  AcmeDeskSecrets,
  AcmeDeskSettings,
} from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { LimitedDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.limits.js';
import { through, type Context } from './rewired.js';
import { UpdatingDeskAdapter, updatingGround } from './updating-desk.js';

type Ground = ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets>;

/** Acme Desk with a rate limit that it reports with status 400. */
export function limitedGround(ground: Ground): Ground {
  const json = { code: 'RATELIMITED', message: 'Too many requests.' };
  return {
    ...ground,
    rateLimit: { answer: { status: 400, headers: { 'x-limit-reset': '30' }, json }, waitMs: 30_000 },
  };
}

/** The test platform of an adapter that changes tickets, with a rate limit. */
export const limitedUpdatingGround = (ground: Ground): Ground => limitedGround(updatingGround(ground));

function limited(response: AdapterResponse): AdapterResponse {
  const { status, headers } = response;
  if (status !== 400 || !response.body.includes('RATELIMITED')) return response;
  return { ...response, status: 429, headers: { ...headers, 'retry-after': headers['x-limit-reset'] ?? '' } };
}

/** Reports the rate limit of a change as a refusal. */
export class LimitAsRefusedChange extends UpdatingDeskAdapter {
  protected override async ask(context: Context, path: string, json?: JsonObject): Promise<AdapterResponse> {
    return limited(await super.ask(context, path, json));
  }
}

/** An adapter that changes tickets and recognizes the rate limit. */
export class LimitedUpdatingDesk extends LimitAsRefusedChange {
  protected override async askLife(context: Context, ref: TicketRef, json?: Json): Promise<AdapterResponse> {
    return limited(await super.askLife(context, ref, json));
  }
}

// Copies that each misread the rate limit.

/** Changes the outcome of a create that the platform answered with 400. */
abstract class MisreadingLimit extends LimitedDeskAdapter {
  abstract misread(outcome: CreateOutcome): CreateOutcome;

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    let status = 0;
    const watched = through(context, async (request, pass) => {
      const response = await pass(request);
      status = response.status;
      return response;
    });
    const outcome = await super.create(watched, ticket);
    return status === 400 ? this.misread(outcome) : outcome;
  }
}

export class LimitAsRefusal extends MisreadingLimit {
  override misread(outcome: CreateOutcome): CreateOutcome {
    return outcome.kind === 'retryable'
      ? { kind: 'rejected', code: 'config', message: 'Acme Desk does not take the ticket.' }
      : outcome;
  }
}

export class LimitWithoutWait extends MisreadingLimit {
  override misread(outcome: CreateOutcome): CreateOutcome {
    return outcome.kind === 'retryable' ? { kind: 'retryable', message: outcome.message } : outcome;
  }
}

/** Reports the rate limit of a search as a fault in the settings, which pauses the connector. */
export class PausingAtLimit extends LimitedDeskAdapter {
  override findByKey(context: Context, key: string): Promise<TicketRef[]> {
    let status = 0;
    const watched = through(context, async (request, pass) => {
      const response = await pass(request);
      status = response.status;
      return response;
    });
    return super.findByKey(watched, key).catch((error: unknown) => {
      throw status === 400 ? new PlatformAnswerError('Acme Desk does not search.', { code: 'config' }) : error;
    });
  }
}

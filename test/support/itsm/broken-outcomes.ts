import {
  asText,
  objectIn,
  type AdapterHttpError,
  type AdapterResponse,
  type CreateOutcome,
  type RenderedTicket,
} from '#itsm';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { through, type Context } from './rewired.js';

// Copies of an adapter that each break a rule about the outcome of a create.

/** Changes the reported outcome of a create. */
abstract class ChangedOutcome extends AcmeDeskAdapter {
  abstract retell(outcome: CreateOutcome, response?: AdapterResponse): CreateOutcome;

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    let last: AdapterResponse | undefined;
    const watched = through(context, async (request, pass) => (last = await pass(request)));
    return this.retell(await super.create(watched, ticket), last);
  }
}

export class Unencrypted extends ChangedOutcome {
  override retell(outcome: CreateOutcome): CreateOutcome {
    if (outcome.kind !== 'created') return outcome;
    return { ...outcome, ref: { ...outcome.ref, url: 'http://acme.example/t/1' } };
  }
}

export class CreatingTwice extends AcmeDeskAdapter {
  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    await super.create(context, ticket);
    return super.create(context, ticket);
  }
}

/** An adapter that reports another outcome if there is no answer. */
abstract class WithoutAnswer extends AcmeDeskAdapter {
  abstract caught(context: Context, ticket: RenderedTicket, error: AdapterHttpError): Promise<CreateOutcome>;

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    return super.create(context, ticket).catch((error: AdapterHttpError) => this.caught(context, ticket, error));
  }
}

export class RetryingByItself extends WithoutAnswer {
  override caught(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    return AcmeDeskAdapter.prototype.create.call(this, context, ticket);
  }
}

export class TicketInRefusals extends ChangedOutcome {
  override retell(outcome: CreateOutcome, response?: AdapterResponse): CreateOutcome {
    const answer = response && objectIn(response);
    const [externalTicketId, platformId] = [asText(answer?.['number']), asText(answer?.['id'])];
    if (outcome.kind === 'created' || externalTicketId === undefined || platformId === undefined) return outcome;
    return { kind: 'created', ref: { externalTicketId, platformId } };
  }
}

/** Treats every successful answer that names a ticket as a created ticket. */
export class TicketInSuccesses extends TicketInRefusals {
  override retell(outcome: CreateOutcome, response?: AdapterResponse): CreateOutcome {
    const { status = 0 } = response ?? {};
    return status >= 200 && status < 300 ? super.retell(outcome, response) : outcome;
  }
}

/** Treats a refusal with this status as a created ticket if the refusal names a ticket. */
export function ticketInRefusalsWith(status: number): new () => AcmeDeskAdapter {
  return class extends TicketInRefusals {
    override retell(outcome: CreateOutcome, response?: AdapterResponse): CreateOutcome {
      return response?.status === status ? super.retell(outcome, response) : outcome;
    }
  };
}

export class LostAsRetryable extends WithoutAnswer {
  override async caught(_context: Context, _ticket: RenderedTicket, error: AdapterHttpError): Promise<CreateOutcome> {
    return { kind: 'retryable', message: error.message };
  }
}

export class RefusedAsUncertain extends WithoutAnswer {
  override async caught(_context: Context, _ticket: RenderedTicket, error: AdapterHttpError): Promise<CreateOutcome> {
    return { kind: 'uncertain', message: error.message };
  }
}

export class Status500AsRetryable extends ChangedOutcome {
  override retell(outcome: CreateOutcome, response?: AdapterResponse): CreateOutcome {
    return (response?.status ?? 0) >= 500 ? { kind: 'retryable', message: 'The platform failed.' } : outcome;
  }
}

export class AnyStatus201 extends ChangedOutcome {
  override retell(outcome: CreateOutcome, response?: AdapterResponse): CreateOutcome {
    return response?.status === 201 && outcome.kind !== 'created'
      ? { kind: 'created', ref: { externalTicketId: 'unknown' } }
      : outcome;
  }
}

export class RequestBeforeCreate extends AcmeDeskAdapter {
  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    await context.http.request({
      ...{ method: 'GET', url: `${context.settings.instance_url}/api/me` },
      headers: { authorization: `Bearer ${context.secrets.api_token}` },
    });
    return super.create(context, ticket);
  }
}

export class WithoutRetryAfter extends ChangedOutcome {
  override retell(outcome: CreateOutcome): CreateOutcome {
    return outcome.kind === 'retryable' ? { kind: 'retryable', message: outcome.message } : outcome;
  }
}

export class RetryAfterAsNumber extends ChangedOutcome {
  override retell(outcome: CreateOutcome, response?: AdapterResponse): CreateOutcome {
    if (outcome.kind !== 'retryable') return outcome;
    return { ...outcome, retryAfterMs: Number(response?.headers['retry-after']) * 1000 };
  }
}

class RetryingAt extends ChangedOutcome {
  constructor(private readonly forgiven: number) {
    super();
  }

  override retell(outcome: CreateOutcome, response?: AdapterResponse): CreateOutcome {
    return response?.status === this.forgiven ? { kind: 'retryable', message: 'Later, perhaps.' } : outcome;
  }
}

export class RetryingAt401 extends RetryingAt {
  constructor() {
    super(401);
  }
}

export class RetryingAt403 extends RetryingAt {
  constructor() {
    super(403);
  }
}

export class RetryingAt404 extends RetryingAt {
  constructor() {
    super(404);
  }
}

export class WithoutField extends ChangedOutcome {
  override retell(outcome: CreateOutcome): CreateOutcome {
    return outcome.kind === 'rejected' ? { kind: 'rejected', code: outcome.code, message: outcome.message } : outcome;
  }
}

export class PageAsUncertain extends ChangedOutcome {
  protected readonly pageStatus: number = 200;

  override retell(outcome: CreateOutcome, response?: AdapterResponse): CreateOutcome {
    return response?.status === this.pageStatus
      ? { kind: 'uncertain', message: 'The platform answered with a page.' }
      : outcome;
  }
}

/** Treats a sign-in page as an unknown outcome. On some platforms, the page has status 203. */
export class Page203AsUncertain extends PageAsUncertain {
  protected override readonly pageStatus = 203;
}

export class ThrowingAtAnswers extends AcmeDeskAdapter {
  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const watched = through(context, async (request, pass) => {
      const response = await pass(request);
      // Reads answers without checking for errors.
      Object.keys((response.json() as { errors: object }).errors ?? {});
      return response;
    });
    return super.create(watched, ticket);
  }
}

export class RememberingRefusal extends AcmeDeskAdapter {
  private refused = false;

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    if (this.refused) return { kind: 'rejected', code: 'auth', message: 'The token did not do before.' };
    const outcome = await super.create(context, ticket);
    this.refused = outcome.kind === 'rejected' && outcome.code === 'auth';
    return outcome;
  }
}

/** Repeats a create two times while the credentials are refused. */
export class RepeatingTwiceAt401 extends AcmeDeskAdapter {
  override create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const watched = through(context, async (request, pass) => {
      let response = await pass(request);
      for (let again = 0; again < 2 && response.status === 401; again++) response = await pass(request);
      return response;
    });
    return super.create(watched, ticket);
  }
}

import type { JsonObject } from '#core';
import type { Check, CreateOutcome, InboundUpdate, RenderedTicket, TicketRef, TicketState } from '#itsm';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import type { Context } from './rewired.js';

// Copies of an adapter that each break a rule about searches, reads or the connector test.

export class FindingInMemory extends AcmeDeskAdapter {
  private readonly seen = new Map<unknown, TicketRef>();

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const outcome = await super.create(context, ticket);
    if (outcome.kind === 'created') this.seen.set(ticket.body['reference'], outcome.ref);
    return outcome;
  }

  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    await super.findByKey(context, key);
    const ref = this.seen.get(key);
    return ref ? [ref] : [];
  }
}

export class FindingOtherKeys extends AcmeDeskAdapter {
  private readonly all: TicketRef[] = [];

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const outcome = await super.create(context, ticket);
    if (outcome.kind === 'created') this.all.unshift(outcome.ref);
    return outcome;
  }

  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    const found = await super.findByKey(context, key);
    return found.length > 0 ? found : this.all.slice(0, 1);
  }
}

export class FindingByPartOfKey extends AcmeDeskAdapter {
  override findByKey(context: Context, key: string): Promise<TicketRef[]> {
    return super.findByKey(context, /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(key)?.[0] ?? key);
  }
}

export class NothingAtFailure extends AcmeDeskAdapter {
  override findByKey(context: Context, key: string): Promise<TicketRef[]> {
    return super.findByKey(context, key).catch(() => []);
  }
}

export class AlwaysOpen extends AcmeDeskAdapter {
  override async status(context: Context, ref: TicketRef): Promise<TicketState | null> {
    return (await super.status(context, ref)) && { status: 'open' };
  }
}

export class GoneAtFailure extends AcmeDeskAdapter {
  override status(context: Context, ref: TicketRef): Promise<TicketState | null> {
    return super.status(context, ref).catch(() => null);
  }
}

export class IgnoringReports extends AcmeDeskAdapter {
  override mapInbound(): InboundUpdate | null {
    return null;
  }
}

export class UnvalidatedReports extends AcmeDeskAdapter {
  override mapInbound(body: JsonObject): InboundUpdate | null {
    const { number, state } = body['ticket'] as { number: string; state: string };
    return state === 'solved' ? { externalTicketId: number, status: 'resolved' } : null;
  }
}

export class AnyReport extends AcmeDeskAdapter {
  override mapInbound(body: JsonObject): InboundUpdate | null {
    return super.mapInbound(body) ?? { externalTicketId: 'AD-1', status: 'open' };
  }
}

export class PassingEveryCheck extends AcmeDeskAdapter {
  override async verify(context: Context): Promise<Check[]> {
    const checks = await super.verify(context);
    return checks.map(({ name, message }) => ({ name, message, status: 'passed' }));
  }
}

export class FailingEveryCheck extends AcmeDeskAdapter {
  override async verify(context: Context): Promise<Check[]> {
    const checks = await super.verify(context);
    return checks.map(({ name, message }) => ({ name, message, status: 'failed' }));
  }
}

export class ThrowingInTest extends AcmeDeskAdapter {
  override async verify(context: Context): Promise<Check[]> {
    const checks = await super.verify(context);
    const failed = checks.find(({ status }) => status === 'failed');
    if (failed) throw new Error(failed.message);
    return checks;
  }
}

export class CreatingInTest extends AcmeDeskAdapter {
  override async verify(context: Context): Promise<Check[]> {
    const draft = { key: 'probe', title: 'Probe', severity: 'low', labels: [], payload: {}, link: null } as const;
    await super.create(context, this.render(draft, context.settings)).catch(() => undefined);
    return super.verify(context);
  }
}

/** Changes something in the connector test with a request of this method. */
export function changingInTest(method: 'PATCH' | 'PUT'): new () => AcmeDeskAdapter {
  return class extends AcmeDeskAdapter {
    override async verify(context: Context): Promise<Check[]> {
      const url = `${context.settings.instance_url}/api/me`;
      const headers = { authorization: `Bearer ${context.secrets.api_token}` };
      await context.http.request({ method, url, headers, json: {} }).catch(() => undefined);
      return super.verify(context);
    }
  };
}

import type { CreateOutcome, InboundUpdate, RenderedTicket, TicketRef } from '#itsm';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import type { Context } from './rewired.js';

const modest = { priority: true, labels: true, comment: false };

// Copies of an adapter for platforms that support less. Each copy declares what its platform supports.

/** The platform cannot search. */
export class Unsearchable extends AcmeDeskAdapter {
  override readonly capabilities = { ...modest, findByKey: 'none' } as never;

  override async findByKey(): Promise<TicketRef[]> {
    return [];
  }
}

/** The platform finds only recently created tickets. */
export class Lagging extends AcmeDeskAdapter {
  override readonly capabilities = { ...modest, findByKey: 'eventual' } as never;
  private indexedAt = 0;

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    this.indexedAt = performance.now() + 120;
    return super.create(context, ticket);
  }

  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    const found = await super.findByKey(context, key);
    return performance.now() < this.indexedAt ? [] : found;
  }
}

/** The platform has no webhooks. */
export class Silent extends AcmeDeskAdapter {
  override mapInbound = undefined as unknown as () => InboundUpdate | null;
  override status = undefined as never;
}

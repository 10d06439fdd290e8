import type { JsonObject } from '#core';
import {
  ItsmAdapter,
  type AdapterContext,
  type Check,
  type CreateOutcome,
  type InboundUpdate,
  type RenderedTicket,
  type TicketDraft,
  type TicketRef,
  type TicketState,
} from '#itsm';

/** The behavior of the next calls of a {@link ReportingAdapter}. */
export const SCRIPT: {
  status: (ref: TicketRef) => Promise<TicketState | null>;
  /** Called with the future id of a ticket while the ticket is being created. */
  creating: (externalTicketId: string) => Promise<void>;
  mapInbound: (body: JsonObject) => InboundUpdate | null;
} = {
  status: async () => ({ status: 'open' }),
  creating: async () => undefined,
  mapInbound: () => null,
};

/** A platform with the behavior that a test sets. */
export class ReportingAdapter extends ItsmAdapter {
  readonly kind: string = 'reporting';
  readonly title = 'Reporting';
  readonly settingsSchema = { type: 'object' };
  readonly secretsSchema = { type: 'object' };
  readonly capabilities = { priority: false, labels: false, comment: false, findByKey: 'strong' as const };

  origins(): string[] {
    return [];
  }

  render({ title, labels, payload }: TicketDraft): RenderedTicket {
    return { title, description: JSON.stringify(payload), labels, body: { title } };
  }

  async verify(): Promise<Check[]> {
    return [];
  }

  async create(_context: unknown, _ticket: RenderedTicket, key: string): Promise<CreateOutcome> {
    const externalTicketId = `T-${key.slice(-6)}`;
    await SCRIPT.creating(externalTicketId);
    return { kind: 'created', ref: { externalTicketId } };
  }

  async findByKey(): Promise<TicketRef[]> {
    return [];
  }

  override status(_context: AdapterContext<object, object>, ref: TicketRef): Promise<TicketState | null> {
    return SCRIPT.status(ref);
  }

  override mapInbound(body: JsonObject): InboundUpdate | null {
    return SCRIPT.mapInbound(body);
  }
}

import {
  asObject,
  asText,
  describeDraft,
  form,
  ItsmAdapter,
  jsonOf,
  messageOf,
  objectIn,
  outcomeOfRefusal,
  PlatformAnswerError,
  quoted,
  refusal,
  titleOf,
  type AdapterContext,
  type AdapterResponse,
  type Check,
  type CreateOutcome,
  type InboundUpdate,
  type JsonObject,
  type RenderedTicket,
  type Severity,
  type TicketDraft,
  type TicketRef,
  type TicketState,
  type TicketStatus,
} from 'nest-llm-governance/itsm';

export interface AcmeDeskSettings {
  instance_url: string;
  queue: string;
}

export interface AcmeDeskSecrets {
  api_token: string;
}

export type Context = AdapterContext<AcmeDeskSettings, AcmeDeskSecrets>;

export const URGENCY: Record<Severity, string> = { critical: 'now', high: 'today', medium: 'week', low: 'later' };

const STATUSES: Record<string, TicketStatus> = {
  new: 'open',
  taken: 'in_progress',
  solved: 'resolved',
  filed: 'closed',
};

const text = (title: string, more: JsonObject = {}): JsonObject => ({ type: 'string', title, minLength: 1, ...more });

export class AcmeDeskAdapter extends ItsmAdapter<AcmeDeskSettings, AcmeDeskSecrets> {
  readonly kind = 'acme_desk';
  readonly title = 'Acme Desk';
  readonly settingsSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['instance_url', 'queue'],
    properties: {
      instance_url: form.url({ title: 'Instance URL' }),
      queue: text('Queue', { description: 'Where new tickets go.', maxLength: 50 }),
    },
  };
  readonly secretsSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['api_token'],
    properties: { api_token: text('API token', { pattern: '^[!-~]+$' }) },
  };
  readonly capabilities = { priority: true, labels: true, comment: false, findByKey: 'strong' } as const;

  override origins({ instance_url }: AcmeDeskSettings): string[] {
    return [new URL(instance_url).origin];
  }

  override render(draft: TicketDraft, { queue }: AcmeDeskSettings): RenderedTicket {
    const title = titleOf(draft, 100);
    const description = describeDraft(draft, 8_000);
    const labels = [...draft.labels];
    const urgency = URGENCY[draft.severity];
    const body = { queue, subject: title, text: description, tags: labels, urgency, reference: draft.key };
    return { title, description, labels, body };
  }

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const response = await this.ask(context, '/api/tickets', ticket.body);
    const answer = objectIn(response);
    const ref = answer && refOf(answer);
    if (response.status === 201 && ref) return { kind: 'created', ref };
    const errors = response.status === 422 ? asObject(answer?.['errors']) : undefined;
    if (!errors) return outcomeOfRefusal(response, context.clock, asText(answer?.['message']));
    const names = Object.keys(errors);
    const fields = Object.fromEntries(names.map(name => [name, quoted(asText(errors[name]) ?? 'is not accepted')]));
    return { kind: 'rejected', code: 'field', message: `Acme Desk does not take ${names.join(', ')}.`, fields };
  }

  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    const response = await this.ask(context, `/api/tickets?reference=${encodeURIComponent(key)}`);
    const { tickets, error } = asObject(jsonOf(response, context.clock)) ?? {};
    if (error || !Array.isArray(tickets)) throw new PlatformAnswerError('Acme Desk’s answer holds no list of tickets.');
    return tickets.map(asObject).flatMap(ticket => (ticket?.['reference'] === key && refOf(ticket)) || []);
  }

  override async verify(context: Context): Promise<Check[]> {
    const name = 'The token may create tickets';
    try {
      const response = await this.ask(context, '/api/me');
      if (response.status !== 200) return [{ name, status: 'failed', message: refusal(response).message }];
      if (asObject(jsonOf(response))?.['can_create'] === true) return [{ name, status: 'passed', message: 'It may.' }];
      return [{ name, status: 'failed', message: 'Give the account of the token the role “agent”.' }];
    } catch (error) {
      return [{ name, status: 'failed', message: messageOf(error) }];
    }
  }

  override async status(context: Context, { platformId = '' }: TicketRef): Promise<TicketState | null> {
    const response = await this.ask(context, `/api/tickets/${encodeURIComponent(platformId)}`);
    if (response.status === 410) return null;
    const status = statusOf(asObject(jsonOf(response)));
    if (status === undefined) throw new PlatformAnswerError('Acme Desk does not say where the ticket stands.');
    return { status };
  }

  override mapInbound(body: JsonObject): InboundUpdate | null {
    const ticket = body['event'] === 'ticket.changed' ? asObject(body['ticket']) : undefined;
    const [externalTicketId, status] = [asText(ticket?.['number']), statusOf(ticket)];
    return externalTicketId === undefined || status === undefined ? null : { externalTicketId, status };
  }

  protected ask({ settings, secrets, http }: Context, path: string, json?: JsonObject): Promise<AdapterResponse> {
    return http.request({
      method: json ? 'POST' : 'GET',
      url: new URL(path, settings.instance_url).href,
      headers: { authorization: `Bearer ${secrets.api_token}`, accept: 'application/json' },
      ...(json && { json }),
    });
  }
}

export function refOf(ticket: JsonObject): TicketRef | undefined {
  const [externalTicketId, platformId] = [asText(ticket['number']), asText(ticket['id'])];
  if (externalTicketId === undefined || platformId === undefined) return undefined;
  const url = asText(ticket['web_url']);
  return { externalTicketId, platformId, ...(url?.startsWith('https://') && { url }) };
}

export function statusOf(ticket: JsonObject | undefined): TicketStatus | undefined {
  const state = asText(ticket?.['state']) ?? '';
  return Object.hasOwn(STATUSES, state) ? STATUSES[state] : undefined;
}

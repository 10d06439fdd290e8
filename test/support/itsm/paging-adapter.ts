import { Injectable } from '@nestjs/common';
import {
  asText,
  cutText,
  describeDraft,
  ItsmAdapter,
  objectIn,
  oneLine,
  outcomeOfRefusal,
  quoted,
  form,
  type AdapterContext,
  type AdapterResponse,
  type Check,
  type CreateOutcome,
  type Json,
  type RenderedTicket,
  type TicketDraft,
  type TicketRef,
} from '#itsm';

interface PagingSettings {
  url: string;
}

interface PagingSecrets {
  routing_key: string;
}

type Context = AdapterContext<PagingSettings, PagingSecrets>;

/**
 * The adapter of a platform whose creates are lists with its key in them. An answer with `errors` is a refusal,
 * whatever its status.
 */
@Injectable()
export class PagingAdapter extends ItsmAdapter<PagingSettings, PagingSecrets> {
  readonly kind = 'paging';
  readonly title = 'Paging';
  readonly settingsSchema = {
    ...{ type: 'object', additionalProperties: false, required: ['url'] },
    properties: { url: form.url({ title: 'URL' }) },
  };
  readonly secretsSchema = {
    ...{ type: 'object', additionalProperties: false, required: ['routing_key'] },
    properties: { routing_key: { type: 'string', title: 'Routing key', minLength: 16 } },
  };
  readonly capabilities = { priority: true, labels: false, comment: false, findByKey: 'none' } as const;
  override readonly bodySecrets = ['routing_key'];

  override origins({ url }: PagingSettings): string[] {
    return [new URL(url).origin];
  }

  override isSuccess(answer: AdapterResponse): boolean {
    return answer.status === 202 && objectIn(answer)?.['errors'] === undefined;
  }

  override render(draft: TicketDraft): RenderedTicket<Json[]> {
    const [title, description] = [cutText(oneLine(draft.title), 200), describeDraft(draft, 4_000)];
    return { title, description, labels: [], body: [{ op: 'add', title, description, severity: draft.severity }] };
  }

  override async verify(): Promise<Check[]> {
    return [{ name: 'The key', status: 'warning', message: 'Only an event shows whether it is right.' }];
  }

  override async create(context: Context, ticket: RenderedTicket<Json[]>, key: string): Promise<CreateOutcome> {
    const { http, settings, secrets, clock } = context;
    const response = await http.request({
      ...{ method: 'POST', url: new URL('/events', settings.url).href },
      headers: { 'content-type': 'application/vnd.paging+json' },
      json: [{ routing_key: secrets.routing_key, key }, ...ticket.body],
    });
    const answer = objectIn(response);
    const [said, id] = [asText(answer?.['errors']), asText(answer?.['id'])];
    // Truncates the text on purpose: what is left of it must not contain a part of a secret.
    if (said !== undefined) return { kind: 'rejected', code: 'config', message: `It says: ${cutText(said, 40)}` };
    if (response.status !== 202 || id === undefined) return outcomeOfRefusal(response, clock, response.body.toString());
    return { kind: 'created', ref: { externalTicketId: id }, degraded: [quoted(response.body.toString())] };
  }

  override async findByKey(): Promise<TicketRef[]> {
    return [];
  }
}

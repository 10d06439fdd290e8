import {
  AdapterHttp,
  asObject,
  asText,
  jsonOf,
  objectIn,
  PlatformAnswerError,
  refusal,
  retryAfterMs,
  type AdapterRequest,
  type AdapterResponse,
  type Json,
  type JsonObject,
  type Severity,
  type TicketChange,
  type TicketRef,
  type TicketStatus,
  type UpdateOutcome,
} from '#itsm';
import { ScriptedAdapterHttp, type ItsmAdapterGround, type PlatformAnswer } from 'nest-llm-governance/testing';
import {
  AcmeDeskAdapter,
  type AcmeDeskSecrets,
  type AcmeDeskSettings,
} from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { AcmeDeskDouble } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.double.js';
import type { Context } from './rewired.js';

const URGENCY: Record<Severity, string> = { critical: 'now', high: 'today', medium: 'week', low: 'later' };
const LIFE = /^\/api\/tickets\/([^/]+)\/life$/;

/** The further fields of an Acme Desk ticket. */
interface Life {
  urgency: string;
  ending: string;
  readonly notes: string[];
}

/** Acme Desk with notes, urgencies and final states of tickets. */
export class LivingDesk extends AdapterHttp {
  readonly desk = new AcmeDeskDouble();
  private readonly lives = new Map<string, Life>();
  private readonly life = new ScriptedAdapterHttp(['https://acme.example'], request => this.answer(request));

  override async request(request: AdapterRequest): Promise<AdapterResponse> {
    const { pathname } = new URL(request.url);
    if (LIFE.test(pathname)) return this.life.request(request);
    const response = await this.desk.http.request(request);
    const id = response.status === 201 ? asText(objectIn(response)?.['id']) : undefined;
    const urgency = asText(asObject(request.json)?.['urgency']) ?? '';
    if (id !== undefined) this.lives.set(id, { urgency, ending: '', notes: [] });
    return response;
  }

  of({ platformId = '' }: TicketRef): Life {
    return this.lives.get(platformId) ?? { urgency: '', ending: '', notes: [] };
  }

  move({ platformId }: TicketRef, state: string): void {
    for (const ticket of this.desk.tickets) if (ticket['id'] === platformId) ticket['state'] = state;
  }

  standing({ platformId }: TicketRef): TicketStatus {
    const state = this.desk.tickets.find(({ id }) => id === platformId)?.['state'];
    return state === 'solved' || state === 'filed' ? 'resolved' : 'open';
  }

  private answer({ method, url, headers, json }: AdapterRequest): PlatformAnswer {
    if (headers?.['authorization'] !== 'Bearer token-of-acme') return { status: 401, json: {} };
    const id = LIFE.exec(new URL(url).pathname)?.[1] ?? '';
    const [ticket, life] = [this.desk.tickets.find(each => each['id'] === id), this.lives.get(id)];
    if (!ticket || !life) return { status: 410 };
    if (method === 'PATCH') {
      const { state, urgency, note } = asObject(json) ?? {};
      if (typeof state === 'string') ticket['state'] = state;
      if (typeof urgency === 'string') life.urgency = urgency;
      if (typeof note === 'string') life.notes.unshift(note);
    }
    const { urgency, ending, notes } = life;
    const [state, number] = [ticket['state'] ?? '', ticket['number'] ?? ''];
    return { status: 200, json: { number, state, urgency, ending, notes } };
  }
}

/** Acme Desk's adapter with `update`: text and fields are sent in one request. */
export class UpdatingDeskAdapter extends AcmeDeskAdapter {
  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    const response = await this.askLife(context, ref);
    if (response.status === 410) return { kind: 'gone', message: 'Acme Desk has no such ticket.' };
    const life = asObject(jsonOf(response, context.clock));
    if (!life || typeof life['state'] !== 'string') throw new PlatformAnswerError('Acme Desk shows no ticket.');
    const wanted = this.wanted(life, change);
    if ('kind' in wanted) return wanted as UpdateOutcome;
    if (this.isThere(life, change)) return { kind: 'updated' };
    return this.send(context, ref, wanted);
  }

  protected isThere({ notes }: JsonObject, { key, repeated }: TicketChange): boolean {
    return repeated && JSON.stringify(notes ?? []).includes(key);
  }

  protected wanted(life: JsonObject, { kind, text, severity, severityBefore }: TicketChange): JsonObject {
    if (kind === 'priority') {
      return life['urgency'] === URGENCY[severityBefore] ? { urgency: URGENCY[severity] } : { kind: 'updated' };
    }
    const isOver = life['state'] === 'solved' || life['state'] === 'filed';
    if (kind === 'comment' || isOver === (kind === 'resolve')) return { note: text };
    if (kind === 'reopen' && life['ending'] === 'declined') {
      return { kind: 'refused', code: 'declined', message: 'It was declined.' };
    }
    return { note: text, state: kind === 'resolve' ? 'solved' : 'new' };
  }

  protected async send(context: Context, ref: TicketRef, json: JsonObject): Promise<UpdateOutcome> {
    return this.read(context, await this.askLife(context, ref, json));
  }

  protected read(context: Context, response: AdapterResponse): UpdateOutcome {
    const { status } = response;
    if (status === 200 && objectIn(response)?.['state'] !== undefined) return { kind: 'updated' };
    if (status === 429) {
      const wait = retryAfterMs(response, context.clock);
      return { kind: 'retryable', message: 'Too many.', ...(wait !== undefined && { retryAfterMs: wait }) };
    }
    if (status >= 500 || status === 200 || status === 201) return { kind: 'uncertain', message: 'It may be done.' };
    const { code, message } = refusal(response);
    return { kind: 'refused', code, message };
  }

  protected askLife({ settings, secrets, http }: Context, ref: TicketRef, json?: Json): Promise<AdapterResponse> {
    return http.request({
      method: json === undefined ? 'GET' : 'PATCH',
      url: new URL(`/api/tickets/${encodeURIComponent(ref.platformId ?? '')}/life`, settings.instance_url).href,
      headers: { authorization: `Bearer ${secrets.api_token}`, accept: 'application/json' },
      ...(json !== undefined && { json }),
    });
  }
}

/** An adapter for a platform that can only resolve and reopen tickets, without reads. */
export class ResolvingDeskAdapter extends UpdatingDeskAdapter {
  override readonly capabilities = {
    ...{ priority: true, labels: true, comment: false, findByKey: 'strong', changes: ['resolve', 'reopen'] },
  } as never;
  override status = undefined as never;
}

/** The test platform Acme Desk, for an adapter that changes tickets. */
export function updatingGround(
  ground: ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets>,
  desk = new LivingDesk(),
): ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets> {
  return {
    ...ground,
    http: desk,
    status: {
      move: (ref, state) => desk.move(ref, state),
      expected: { new: 'open', taken: 'in_progress', solved: 'resolved', filed: 'closed' },
    },
    update: {
      standing: ref => desk.standing(ref),
      texts: ref => desk.of(ref).notes,
      priority: ref => desk.of(ref).urgency,
      prioritize: (ref, severity) => void (desk.of(ref).urgency = URGENCY[severity]),
      resolved: 'solved',
      decline: ref => {
        desk.move(ref, 'solved');
        desk.of(ref).ending = 'declined';
      },
    },
  };
}

/** The test platform of an adapter that cannot decline tickets. */
export function endlessGround(
  ground: ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets>,
): ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets> {
  const { update, ...rest } = updatingGround(ground);
  return { ...rest, ...(update && { update: { ...update, decline: 'none' as const } }) };
}

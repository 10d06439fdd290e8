import { Injectable } from '@nestjs/common';
import {
  ItsmAdapter,
  type AdapterContext,
  type Check,
  type CreateOutcome,
  type RenderedTicket,
  type TicketDraft,
  type TicketRef,
} from '#itsm';

export interface ScriptedSettings {
  instance_url: string;
  project?: string;
}

export interface ScriptedSecrets {
  user: string;
  password: string;
  extra?: string;
}

type Context = AdapterContext<ScriptedSettings, ScriptedSecrets>;

/** The platform's answer to a create. If it is undefined, the platform creates the ticket. */
export type CreateScript = (
  context: Context,
  key: string,
  desk: ScriptedAdapter,
) => CreateOutcome | undefined | Promise<CreateOutcome | undefined>;

const TEXT = { type: 'string', minLength: 1 };

/** A platform in memory with the behavior that a test sets. Its tickets are lost when the process ends. */
@Injectable()
export class ScriptedAdapter extends ItsmAdapter<ScriptedSettings, ScriptedSecrets> {
  readonly kind = 'scripted';
  readonly title = 'Scripted';
  readonly settingsSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['instance_url'],
    properties: { instance_url: { ...TEXT, pattern: '^https://' }, project: TEXT },
  };
  readonly secretsSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['user', 'password'],
    properties: { user: TEXT, password: { ...TEXT, maxLength: 40 }, extra: TEXT },
  };
  sight: 'strong' | 'eventual' | 'none' = 'strong';
  /** Whether a repeated create with the same key returns the existing ticket. */
  isIdempotent = false;
  get capabilities() {
    const create = this.isIdempotent ? 'idempotent' : 'once';
    return { priority: true, labels: true, comment: false, findByKey: this.sight, create } as const;
  }

  /** The platform's tickets, newest first. */
  readonly tickets: { key: string; id: string; body: RenderedTicket['body']; settings: ScriptedSettings }[] = [];
  creates = 0;
  readonly searches: string[] = [];
  script: CreateScript = () => undefined;
  search: (key: string) => TicketRef[] | undefined = () => undefined;
  checks: Check[] = [{ name: 'The platform answers', status: 'passed', message: 'It does.' }];

  /** Resets the platform. */
  reset(): void {
    this.tickets.length = 0;
    this.searches.length = 0;
    this.creates = 0;
    this.sight = 'strong';
    this.isIdempotent = false;
    this.script = () => undefined;
    this.search = () => undefined;
    this.checks = [{ name: 'The platform answers', status: 'passed', message: 'It does.' }];
  }

  /** Puts a ticket on the platform. */
  put(settings: ScriptedSettings, key: string, body: RenderedTicket['body'] = {}): TicketRef {
    const id = `TKT-${this.tickets.length + 1}`;
    this.tickets.unshift({ key, id, body, settings });
    return refOf(id);
  }

  override origins({ instance_url }: ScriptedSettings): string[] {
    return [new URL(instance_url).origin];
  }

  override render({ key, title, text, severity, labels, payload, link }: TicketDraft): RenderedTicket {
    const description = `${text === undefined ? '' : `${text}\n\n`}${JSON.stringify(payload)}`;
    return { title, description, labels, body: { key, title, severity, description, link, labels: [...labels] } };
  }

  override async verify(_context: Context): Promise<Check[]> {
    return this.checks;
  }

  override async create(context: Context, ticket: RenderedTicket, key: string): Promise<CreateOutcome> {
    this.creates++;
    const scripted = await this.script(context, key, this);
    const there = this.isIdempotent && this.tickets.find(known => known.key === key);
    if (!scripted && there) return { kind: 'created', ref: refOf(there.id) };
    return scripted ?? { kind: 'created', ref: this.put(context.settings, key, ticket.body) };
  }

  override async findByKey(_context: Context, key: string): Promise<TicketRef[]> {
    this.searches.push(key);
    return this.search(key) ?? this.tickets.filter(ticket => ticket.key === key).map(({ id }) => refOf(id));
  }
}

function refOf(id: string): TicketRef {
  return { externalTicketId: id, platformId: `p-${id}`, url: `https://desk.example.com/${id}` };
}

import type { RenderedTicket, TicketDraft } from '#itsm';
import type { ItsmAdapterGround } from 'nest-llm-governance/testing';
import {
  AcmeDeskAdapter,
  type AcmeDeskSecrets,
  type AcmeDeskSettings,
} from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';

// Copies of an adapter that each break a rule about its description or the fields of a ticket.

export class InvalidKind extends AcmeDeskAdapter {
  override readonly kind = 'Acme Desk' as 'acme_desk';
}

export class AnySecrets extends AcmeDeskAdapter {
  override readonly secretsSchema = { type: 'object', required: [], properties: {} } as never;
}

export class InvalidSchema extends AcmeDeskAdapter {
  override readonly settingsSchema = { type: 'objekt' } as never;
}

export class AnyAddress extends AcmeDeskAdapter {
  override readonly settingsSchema = {
    ...new AcmeDeskAdapter().settingsSchema,
    properties: {
      instance_url: { type: 'string', title: 'Instance URL', pattern: '^https://[^/?#@]+/?$' },
      queue: { type: 'string', title: 'Queue' },
    },
  } as never;
}

export class WithPath extends AcmeDeskAdapter {
  override origins({ instance_url }: AcmeDeskSettings): string[] {
    return [`${instance_url}/api`];
  }
}

export class WithTime extends AcmeDeskAdapter {
  override render(draft: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    const ticket = super.render(draft, settings);
    return { ...ticket, body: { ...ticket.body, rendered_at: new Date().toISOString() } };
  }
}

export class ChangingDraft extends AcmeDeskAdapter {
  override render(draft: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    (draft.labels as string[]).push('rendered');
    return super.render(draft, settings);
  }
}

/** Changes the rendered and sent values. */
abstract class Rewriting extends AcmeDeskAdapter {
  abstract retitle(draft: TicketDraft, good: string): string;
  abstract describe(draft: TicketDraft, good: string): string;

  override render(draft: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    const good = super.render(draft, settings);
    const [title, description] = [this.retitle(draft, good.title), this.describe(draft, good.description)];
    return { ...good, title, description, body: { ...good.body, subject: title, text: description } };
  }
}

export class PayloadSummary extends Rewriting {
  override retitle = (_draft: TicketDraft, good: string): string => good;
  override describe = ({ payload, link }: TicketDraft): string => `${JSON.stringify(payload['id'])} [cut] ${link}`;
}

export class WithoutLink extends Rewriting {
  override retitle = (_draft: TicketDraft, good: string): string => good;
  override describe = (_draft: TicketDraft, good: string): string => good.replace(/^Incident: .*\n\n/, '');
}

/** Renders another text of the template. */
abstract class RewritingText extends AcmeDeskAdapter {
  abstract reword(text: string): string;

  override render({ text = '', ...draft }: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    return super.render({ ...draft, text: this.reword(text) }, settings);
  }
}

export class WithoutText extends RewritingText {
  override reword = (): string => '';
}

export class FirstLineOfText extends RewritingText {
  override reword = (text: string): string => text.split('\n', 1)[0] ?? '';
}

export class CutWithinCharacter extends Rewriting {
  override retitle = ({ title }: TicketDraft, good: string): string =>
    title.length > 100 ? title.slice(0, 100) : good;
  override describe = (_draft: TicketDraft, good: string): string => good;
}

export class CutWithoutMark extends Rewriting {
  override retitle = (_draft: TicketDraft, good: string): string => good;
  override describe = (_draft: TicketDraft, good: string): string => good.replace(/\n… \[cut\]$/, '');
}

export class TooLong extends Rewriting {
  override retitle = ({ title }: TicketDraft, good: string): string => (title.length > 1_000 ? good + good : good);
  override describe = (_draft: TicketDraft, good: string): string => good;
}

export class LineBreaksOnly extends Rewriting {
  override retitle = ({ title }: TicketDraft, good: string): string =>
    title.length > 100 ? good : title.replaceAll(/[\r\n]/g, ' ').toWellFormed();
  override describe = (_draft: TicketDraft, good: string): string => good;
}

export class MediumAsHigh extends AcmeDeskAdapter {
  override render(draft: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    const ticket = super.render(draft, settings);
    return draft.severity === 'medium' ? { ...ticket, body: { ...ticket.body, urgency: 'today' } } : ticket;
  }
}

export class WithoutTags extends AcmeDeskAdapter {
  override render(draft: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    const ticket = super.render(draft, settings);
    return { ...ticket, body: { ...ticket.body, tags: [] } };
  }
}

type Ground = ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets>;

const { settingsSchema, secretsSchema } = new AcmeDeskAdapter();

/** A setting that is an object, such as a map of names. */
export class ObjectSetting extends AcmeDeskAdapter {
  override readonly settingsSchema = withProperty(settingsSchema, 'urgencies', {
    ...{ type: 'object', title: 'Urgencies', additionalProperties: false },
    properties: { critical: { type: 'string', title: 'Critical' }, high: { type: 'string' } },
  });
}

export class Untyped extends AcmeDeskAdapter {
  override readonly settingsSchema = withProperty(settingsSchema, 'urgencies', {
    ...{ type: 'object', title: 'Urgencies', additionalProperties: false },
    properties: { critical: { title: 'Critical' } },
  });
}

export class SecretInside extends AcmeDeskAdapter {
  override readonly secretsSchema = withProperty(secretsSchema, 'proxy', {
    ...{ type: 'object', title: 'Proxy', additionalProperties: false },
    properties: { password: { type: 'string' } },
  });
}

function withProperty<Schema extends { properties: object }>(schema: Schema, name: string, property: object): Schema {
  return { ...schema, properties: { ...schema.properties, [name]: property } };
}

/** The test platform of {@link ObjectSetting}. */
export function objectSettingGround(ground: Ground): Ground {
  const settings = { ...ground.settings, urgencies: { critical: 'now' } };
  return { ...ground, settings };
}

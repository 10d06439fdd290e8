import {
  describeDraft,
  describeInHtml,
  describeInMarkdown,
  escapeHtml,
  htmlText,
  jsonOf,
  type AdapterResponse,
  type CreateOutcome,
  type JsonObject,
  type RenderedTicket,
  type TicketChange,
  type TicketDraft,
  type UpdateOutcome,
} from '#itsm';
import type { ItsmAdapterGround } from 'nest-llm-governance/testing';
import {
  AcmeDeskAdapter,
  type AcmeDeskSecrets,
  type AcmeDeskSettings,
} from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { through, type Context } from './rewired.js';
import { UpdatingDeskAdapter, updatingGround } from './updating-desk.js';

type Ground = ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets>;

// Adapters for variants of Acme Desk with HTML or Markdown texts, and copies that each send or read something wrongly.

/** Acme Desk's adapter for a variant that shows texts as HTML. */
export class HtmlDesk extends UpdatingDeskAdapter {
  override render(draft: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    const ticket = super.render(draft, settings);
    const description = describeDraft(draft, 4_000);
    return { ...ticket, description, body: { ...ticket.body, text: this.describe(description) } };
  }

  protected describe(text: string): string {
    return describeInHtml(text);
  }

  protected comment(text: string): string {
    return htmlText(text);
  }

  protected override wanted(life: JsonObject, change: TicketChange): JsonObject {
    return super.wanted(life, { ...change, text: this.comment(change.text) });
  }
}

export class RawDescriptions extends HtmlDesk {
  protected override describe(text: string): string {
    return `<pre>${text}</pre>`;
  }
}

export class RawNotes extends HtmlDesk {
  protected override comment(text: string): string {
    return text.replaceAll('\n', '<br>');
  }
}

/** HTML as shown to people. */
function readable(html: string): string {
  const text = html.replaceAll('<br>', '\n').replaceAll(/<[^>]+>/g, '');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

export function htmlGround(ground: Ground): Ground {
  const { update, ...rest } = updatingGround(ground);
  if (!update) return rest;
  return { ...rest, shows: 'html', update: { ...update, texts: async ref => (await update.texts(ref)).map(readable) } };
}

/** Acme Desk's adapter for a variant that shows descriptions as Markdown. */
export class MarkdownDesk extends AcmeDeskAdapter {
  override render(draft: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    const ticket = super.render(draft, settings);
    const description = this.describe(describeInMarkdown(draft, 8_000, `Reference: ${draft.key}`));
    return { ...ticket, description, body: { ...ticket.body, text: description } };
  }

  protected describe(markdown: string): string {
    return markdown;
  }
}

export class UnescapedMarkdown extends MarkdownDesk {
  protected override describe(markdown: string): string {
    return markdown.replaceAll(/^```.*\n?/gm, '');
  }
}

/** Escapes texts for a platform that shows plain text. */
export class EscapingPlainText extends AcmeDeskAdapter {
  override render(draft: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    const ticket = super.render(draft, settings);
    return { ...ticket, body: { ...ticket.body, text: escapeHtml(ticket.description) } };
  }
}

/** The outcome for an unreadable answer to a create. */
abstract class ReadingUnreadable extends AcmeDeskAdapter {
  abstract misread(response: AdapterResponse): CreateOutcome;

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    let last: AdapterResponse | undefined;
    const outcome = await super.create(
      through(context, async (request, pass) => (last = await pass(request))),
      ticket,
    );
    const isBroken =
      last?.status === 201 && last.body.length > 0 && !last.body.includes('<') && last.json() === undefined;
    return last && isBroken ? this.misread(last) : outcome;
  }
}

/** Parses the body if it looks like JSON. */
export class ParsingFragments extends ReadingUnreadable {
  override misread(response: AdapterResponse): CreateOutcome {
    return JSON.parse(response.body.toString()) as CreateOutcome;
  }
}

/** Reports a truncated answer as a failed create. */
export class FragmentAsFailure extends ReadingUnreadable {
  override misread(): CreateOutcome {
    return { kind: 'retryable', message: 'The answer broke off.' };
  }
}

/** Handles the answer to a change like the answer to a read. */
export class ReadingChanges extends UpdatingDeskAdapter {
  protected override read(context: Context, response: AdapterResponse): UpdateOutcome {
    jsonOf(response, context.clock);
    return super.read(context, response);
  }
}

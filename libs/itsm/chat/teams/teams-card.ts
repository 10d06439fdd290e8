import type { JsonObject } from '#core';
import type { ChatNotice } from '../chat-notifier.port.js';

/** Characters of Markdown, and the brackets of tags such as `<at>`. */
const MARKUP = /[\\`*_{}[\]()#+\-.!|~<>&]/g;

/**
 * A notification as an adaptive card with a link. The card has no command buttons: Teams would send their presses to a
 * bot, and a workflow is not a bot. The texts of a notice are short, so the card stays far below the limit of Teams, 28
 * KB.
 */
export function teamsMessage({ title, state, facts, link }: ChatNotice): JsonObject {
  const content: JsonObject = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: `${title}: ${state}`,
    msteams: { width: 'Full' },
    body: [
      { type: 'TextBlock', text: escaped(title), size: 'Large', weight: 'Bolder', wrap: true },
      { type: 'TextBlock', text: escaped(state), wrap: true },
      { type: 'FactSet', facts: facts.map(({ name, text }) => ({ title: name, value: escaped(text) })) },
    ],
    ...(link !== null && { actions: [{ type: 'Action.OpenUrl', title: 'Open', url: link }] }),
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { type: 'message', attachments: [attachment] };
}

/** Escapes markup, so that Teams shows the text unchanged. */
function escaped(text: string): string {
  return text.replaceAll(MARKUP, sign => ENTITIES.get(sign) ?? `\\${sign}`);
}

const ENTITIES = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }));

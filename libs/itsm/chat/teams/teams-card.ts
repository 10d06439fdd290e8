import type { JsonObject } from '#core';
import type { ChatNotice } from '../chat-notifier.port.js';

/** Markup of text blocks: the characters of Markdown, and those of tags such as `<at>`. */
const MARKUP = /[\\`*_{}[\]()#+\-.!|~<>&]/g;

/**
 * A notification as an adaptive card. It has a link and no buttons that decide: those are sent to a bot, and a workflow
 * is none. Far below the 28 KB that Teams posts, because the texts of a notice are short.
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

/** A text whose markup Teams shows as it is. */
function escaped(text: string): string {
  return text.replaceAll(MARKUP, sign => ENTITIES.get(sign) ?? `\\${sign}`);
}

const ENTITIES = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }));

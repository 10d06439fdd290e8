import type { JsonObject } from '#core';
import type { ChatButton, ChatNotice } from '../chat-notifier.port.js';

/**
 * Maximum length of a URL. The limits of Block Kit are 150 characters for a `header`, 2,000 for a field and 3,000 for a
 * URL. The texts of a notice stay below the first two.
 */
const URL_MAX = 3_000;
const ESCAPES = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }));

/** Escapes the markup of a text that Slack parses, such as `<!channel>`. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>]/g, sign => ESCAPES.get(sign) ?? sign);
}

/** A notification as a message of Slack: blocks of plain text, and a text for screen readers and previews. */
export function slackMessage({ title, state, facts, link, buttons }: ChatNotice): JsonObject {
  const actions = [...buttons.map(buttonOf), ...(link === null || link.length > URL_MAX ? [] : [linkOf(link)])];
  return {
    text: escaped(`${title}: ${state}`),
    blocks: [
      { type: 'header', text: plain(title) },
      { type: 'section', text: plain(state) },
      ...(facts.length === 0
        ? []
        : [{ type: 'section', fields: facts.map(({ name, text }) => plain(`${name}\n${text}`)) }]),
      ...(actions.length === 0 ? [] : [{ type: 'actions', elements: actions }]),
    ],
  };
}

function buttonOf({ label, command, style }: ChatButton, at: number): JsonObject {
  return { type: 'button', action_id: `decide_${at}`, text: plain(label), value: command, ...(style && { style }) };
}

/** Slack also reports presses of a link button. Such a report has no value. */
function linkOf(url: string): JsonObject {
  return { type: 'button', action_id: 'open', text: plain('Open'), url };
}

/** A text that Slack does not parse. */
function plain(text: string): JsonObject {
  return { type: 'plain_text', text, emoji: false };
}

import { splitAtUrls } from '../../adapter/markup.js';
import type { TicketDraft } from '../../adapter/ticket-draft.js';
import { CUT_MARK, cutText, describeDraft, payloadText } from '../../adapter/ticket-text.js';
import type { JiraDescription } from '../jira/jira-issue.js';

/** Maximum length of a description in characters. Jira's default limit is 32,767. */
const BUDGET = 32_000;

/** Characters with which macros, links, images, mentions or formatting begin. */
const SPECIAL = /[\\{}[\]!|*^~]/g;

/** Description in wiki markup. The payload is unformatted, and the key is at the end. */
export function describeInWiki(draft: TicketDraft): JiraDescription {
  const tail = `Reference: ${draft.key}`;
  const head = describeDraft({ ...draft, payload: {} }, BUDGET / 2).replace(/\{\}$/, '');
  const [before, after] = [`${wikiText(head)}{noformat}\n`, `\n{noformat}\n\n${tail}`];
  const room = BUDGET - before.length - after.length;
  const code = payloadText(draft.payload, room);
  // In JSON, a letter follows a brace only within a string, where the escape is valid.
  const safe = cutText(code.replaceAll(/\{(?=[a-z])/gi, '\\u007b'), room, `\n${CUT_MARK}`);
  return { sent: before + safe + after, text: `${head}${code}\n\n${tail}` };
}

/** Escapes plain text for wiki markup. URLs stay unchanged and become links. */
export function wikiText(text: string): string {
  const pieces = splitAtUrls(text);
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : piece.replaceAll(SPECIAL, escaped))).join('');
}

/** A doubled backslash would be a line break, so a backslash becomes an entity. */
function escaped(character: string): string {
  return character === '\\' ? '&#92;' : `\\${character}`;
}

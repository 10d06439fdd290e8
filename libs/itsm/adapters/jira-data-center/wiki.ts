import { splitAtUrls } from '../../adapter/markup.js';
import type { TicketDraft } from '../../adapter/ticket-draft.js';
import { CUT_MARK, cutText, describeDraft, payloadText } from '../../adapter/ticket-text.js';
import type { JiraDescription } from '../jira/jira-issue.js';

/** Most characters of a description. Jira refuses more than 32,767, if administrators have not set another limit. */
const BUDGET = 32_000;

/** Characters by which macros, links, images, mentions and marks begin. */
const SPECIAL = /[\\{}[\]!|*^~]/g;

/** The description in wiki markup: the payload is not formatted, and the key is at the end. */
export function describeInWiki(draft: TicketDraft): JiraDescription {
  const tail = `Reference: ${draft.key}`;
  const head = describeDraft({ ...draft, payload: {} }, BUDGET / 2).replace(/\{\}$/, '');
  const [before, after] = [`${wikiText(head)}{noformat}\n`, `\n{noformat}\n\n${tail}`];
  const room = BUDGET - before.length - after.length;
  const code = payloadText(draft.payload, room);
  // In JSON, braces before a letter stand in texts only.
  const safe = cutText(code.replaceAll(/\{(?=[a-z])/gi, '\\u007b'), room, `\n${CUT_MARK}`);
  return { sent: before + safe + after, text: `${head}${code}\n\n${tail}` };
}

/** Plain text in wiki markup. Addresses stay as they are, and become links. */
export function wikiText(text: string): string {
  const pieces = splitAtUrls(text);
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : piece.replaceAll(SPECIAL, escaped))).join('');
}

/** Two backslashes would be a line break. */
function escaped(character: string): string {
  return character === '\\' ? '&#92;' : `\\${character}`;
}

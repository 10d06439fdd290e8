import type { TicketDraft } from './ticket-draft.js';
import { cutText, headLines, payloadText } from './ticket-text.js';

/** A text without markup and the addresses in it, in turns: an address stands at each odd place. */
export function splitAtUrls(text: string): string[] {
  return text.split(/(https:\/\/\S*[^\s).,;])/);
}

/** A text between the tags of HTML. Quotation marks stay: they have no meaning there. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Plain text as HTML, each line on its own, with its `https:` addresses as links. */
export function htmlText(text: string): string {
  return linked(text).replaceAll('\n', '<br>');
}

/**
 * The description of {@link describeDraft} as HTML: the payload is not formatted, and only the addresses of the incident
 * and of the earlier ticket are links.
 */
export function describeInHtml(description: string): string {
  const lines = description.split('\n');
  return `<pre>${lines.map(line => (/^(Incident|Follows): /.test(line) ? linked(line) : escapeHtml(line))).join('\n')}</pre>`;
}

/** Plain text as Markdown that shows it as it is: no mention, no reference, no command, and every line on its own. */
export function markdownText(text: string): string {
  const lines = text.toWellFormed().split(/\r\n|[\r\n]/);
  return lines.map(line => splitAtUrls(line).map(markdownPiece).join('')).join('  \n');
}

/**
 * A description in Markdown of at most `maxLength` characters: the text of a template, which takes at most a fifth, the
 * link to the incident, the earlier ticket, a line of one's own, and the payload in a code block.
 */
export function describeInMarkdown(draft: TicketDraft, maxLength: number, line: string): string {
  const head = [cutText(draft.text ?? '', maxLength / 5), ...headLines(draft), line].filter(part => part !== '');
  const intro = head.map(part => `${markdownText(part)}\n\n`).join('');
  // JSON has no line that begins with a fence.
  return `${intro}\`\`\`json\n${payloadText(draft.payload, maxLength - intro.length - 20)}\n\`\`\``;
}

function linked(text: string): string {
  const pieces = splitAtUrls(text).map((piece, at) => {
    const shown = escapeHtml(piece);
    return at % 2 === 1 ? `<a href="${shown.replaceAll('"', '&quot;')}">${shown}</a>` : shown;
  });
  return pieces.join('');
}

function markdownPiece(part: string, at: number): string {
  if (at % 2 === 1) return part;
  const plain = part.replaceAll(/[\\`*_[\]<>#!|~@$%^&]/g, String.raw`\$&`);
  return at === 0 ? plain.replace(/^(\s*)([-+=/])/, String.raw`$1\$2`) : plain;
}

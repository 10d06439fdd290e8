import type { TicketDraft } from './ticket-draft.js';
import { cutText, describeDraft, headLines, payloadText } from './ticket-text.js';

/** Splits a plain text at its URLs. In the result, the URLs are at the odd indexes. */
export function splitAtUrls(text: string): string[] {
  return text.split(/(https:\/\/\S*[^\s).,;])/);
}

/** Escapes text for HTML element content. Quotation marks need no escape there. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Plain text as HTML, with one element per line and links for `https:` URLs. */
export function htmlText(text: string): string {
  return linked(text).replaceAll('\n', '<br>');
}

/**
 * Description of a ticket as HTML. The payload stays unformatted. Only the incident and the earlier ticket become
 * links.
 */
export function describeInHtml(description: string): string {
  const lines = description.split('\n');
  return `<pre>${lines.map(line => (/^(Incident|Follows): /.test(line) ? linked(line) : escapeHtml(line))).join('\n')}</pre>`;
}

/**
 * Description of a ticket as plain text, and as HTML of at most `maxLength` characters. The payload is shortened until
 * the HTML fits; the links are never shortened.
 * @param line a line of the adapter, such as the key; it becomes the first line
 */
export function describeInHtmlWithin(
  draft: TicketDraft,
  maxLength: number,
  line: string,
): { description: string; html: string } {
  const head = line === '' ? '' : `${line}\n\n`;
  for (let max = maxLength; ; max = Math.floor(max * 0.9)) {
    const description = head + describeDraft(draft, Math.max(0, max - head.length));
    const html = describeInHtml(description);
    if (html.length <= maxLength || max === 0) return { description, html };
  }
}

/**
 * Plain text as Markdown that displays unchanged: without mentions, references or commands, and with its line breaks.
 */
export function markdownText(text: string): string {
  const lines = text.toWellFormed().split(/\r\n|[\r\n]/);
  return lines.map(line => splitAtUrls(line).map(markdownPiece).join('')).join('  \n');
}

/**
 * Description of a ticket as Markdown, at most `maxLength` characters. It has the template text (at most a fifth), the
 * link to the incident, the earlier ticket, a line of the adapter, and the payload in a code block.
 */
export function describeInMarkdown(draft: TicketDraft, maxLength: number, line: string): string {
  const head = [cutText(draft.text ?? '', maxLength / 5), ...headLines(draft), line].filter(part => part !== '');
  const intro = head.map(part => `${markdownText(part)}\n\n`).join('');
  // No line of JSON begins with a code fence, so the payload cannot close the block.
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

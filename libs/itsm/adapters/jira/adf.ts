import type { JsonObject } from '#core';
import { splitAtUrls } from '../../adapter/markup.js';
import type { TicketDraft } from '../../adapter/ticket-draft.js';
import { CUT_MARK, cutText, payloadText } from '../../adapter/ticket-text.js';

/**
 * Maximum length of the JSON of a description, in UTF-16 units. Jira's limit is 32,767. The rest is reserved for
 * attributes that Jira adds when it stores a document.
 */
const BUDGET = 32_000;

/** Maximum length of the template's text. The rest of the budget is for the payload. */
const TEXT_MAX = 8_000;

/** A description in Jira's format, and as plain text. */
export interface IssueDescription {
  readonly adf: JsonObject;
  readonly text: string;
}

type Told = Pick<TicketDraft, 'key' | 'link' | 'payload' | 'follows' | 'text'>;
type Part = { readonly text: string; readonly href?: string };

/**
 * Builds a description that contains the link to the incident, the payload as JSON, and the key. The format is
 * Atlassian Document Format 1 (https://developer.atlassian.com/cloud/jira/platform/apis/document/structure). If the
 * payload is too long, it is written compactly. If it still does not fit, it is truncated between code points, and ends
 * with a mark.
 */
export function describeIssue(draft: Told): IssueDescription {
  const describe = (most: number): IssueDescription => compose(draft, payloadText(draft.payload, most));
  const indented = payloadText(draft.payload, Infinity);
  for (const most of [indented.length, indented.length - 1]) {
    const whole = describe(most);
    if (fits(whole)) return whole;
  }
  let [fitting, tooLong] = [0, BUDGET];
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2);
    if (fits(describe(middle))) fitting = middle;
    else tooLong = middle;
  }
  return describe(fitting);
}

/**
 * Whether the encoded description fits. In the encoded form, each quotation mark of the payload takes three characters.
 */
function fits({ adf }: IssueDescription): boolean {
  return JSON.stringify(adf).length <= BUDGET;
}

function compose({ key, link, follows, text: said = '' }: Told, code: string): IssueDescription {
  const above: Part[][] = link === null ? [] : [[{ text: 'Incident: ' }, { text: link, href: link }]];
  const lines = cutText(said.toWellFormed(), TEXT_MAX)
    .split('\n')
    .filter(line => line !== '');
  above.unshift(...lines.map(partsOf));
  if (follows) {
    const { externalTicketId: text, url } = follows;
    above.push([{ text: 'Follows: ' }, url === undefined ? { text } : { text, href: url }]);
  }
  if (code.endsWith(CUT_MARK)) above.push([{ text: 'The payload exceeds Jira’s limit and was truncated.' }]);
  // This line identifies the issue in projects that do not allow labels.
  const below: Part[][] = [[{ text: `Reference: ${key}` }]];
  return {
    adf: { version: 1, type: 'doc', content: [...above.map(paragraph), codeBlock(code), ...below.map(paragraph)] },
    text: [...above.map(plain), code, ...below.map(plain)].join('\n\n'),
  };
}

function paragraph(parts: readonly Part[]): JsonObject {
  return { type: 'paragraph', content: parts.map(textNode) };
}

function textNode({ text, href }: Part): JsonObject {
  const node = { type: 'text', text };
  return href === undefined ? node : { ...node, marks: [{ type: 'link', attrs: { href } }] };
}

function codeBlock(text: string): JsonObject {
  return { type: 'codeBlock', attrs: { language: 'json' }, content: [{ type: 'text', text }] };
}

/** Plain text as a document: one paragraph per line, URLs as links. */
export function textDocument(text: string): JsonObject {
  const lines = text.split('\n').filter(line => line !== '');
  return { version: 1, type: 'doc', content: lines.map(line => paragraph(partsOf(line))) };
}

function partsOf(line: string): Part[] {
  const pieces = splitAtUrls(line).filter(piece => piece !== '');
  return pieces.map(text => (URL.canParse(text) && text.startsWith('https://') ? { text, href: text } : { text }));
}

function plain(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join('');
}

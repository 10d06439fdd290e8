import type { JsonObject } from '#core';
import { splitAtUrls } from '../../adapter/markup.js';
import type { TicketDraft } from '../../adapter/ticket-draft.js';
import { CUT_MARK, cutText, payloadText } from '../../adapter/ticket-text.js';

/**
 * Most characters (UTF-16) of a description's JSON. Jira refuses more than 32,767 in a text field; what is left is for
 * attributes that it adds when it stores a document.
 */
const BUDGET = 32_000;

/** Most characters of the text of a template: the rest is for the payload. */
const TEXT_MAX = 8_000;

/** A description in Jira's format, and as a person reads it. */
export interface IssueDescription {
  readonly adf: JsonObject;
  readonly text: string;
}

type Told = Pick<TicketDraft, 'key' | 'link' | 'payload' | 'follows' | 'text'>;
type Part = { readonly text: string; readonly href?: string };

/**
 * The incident's link, the payload as JSON and the key, in the Atlassian Document Format, version 1
 * (https://developer.atlassian.com/cloud/jira/platform/apis/document/structure). What is too long for Jira loses its
 * blanks, or is cut between code points, with a mark.
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

/** Counted as it is sent, where a quotation mark of the payload is three characters. */
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
  // By it the issue is found in projects that take no labels.
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

/** Plain text as a document: a paragraph for each line, URLs as links. */
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

import type { JsonObject } from '#core';
import type { TicketRef } from './create-outcome.js';
import type { TicketDraft } from './ticket-draft.js';

/** Mark that ends a truncated text. */
export const CUT_MARK = '… [cut]';

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const UNSEEN = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g;

/**
 * Converts a text to one line. Replaces line breaks, control characters and runs of spaces by one space each. Removes
 * bidirectional control characters. Replaces unpaired surrogates by U+FFFD.
 */
export function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(BIDI, '').replaceAll(BREAKS, ' ').trim();
}

/**
 * Truncates a text to a number of UTF-16 code units. Never cuts within a code point. A truncated text ends with the
 * mark.
 */
export function cutText(text: string, maxLength: number, mark = CUT_MARK): string {
  if (text.length <= maxLength) return text;
  const end = maxLength - mark.length;
  return end <= 0 ? upTo(mark, maxLength) : upTo(text, end) + mark;
}

/**
 * The payload as readable JSON. It is indented if it fits, otherwise compact, otherwise truncated. Invisible characters
 * are escaped as \uXXXX. The JSON has the same meaning, but attacks by bidirectional text are impossible.
 */
export function payloadText(payload: JsonObject, maxLength: number): string {
  const indented = visible(JSON.stringify(payload, null, 2));
  if (indented.length <= maxLength) return indented;
  const dense = visible(JSON.stringify(payload));
  return dense.length <= maxLength ? dense : cutText(indented, maxLength, `\n${CUT_MARK}`);
}

/**
 * Plain description of a ticket: the template text (at most half), the links to the incident and to the earlier ticket,
 * and the payload. The links are never truncated.
 */
export function describeDraft(draft: TicketDraft, maxLength: number): string {
  const text = cutText((draft.text ?? '').toWellFormed(), maxLength / 2);
  const parts = [text, headLines(draft).join('\n')].filter(part => part !== '');
  const head = parts.map(part => `${part}\n\n`).join('');
  return head + payloadText(draft.payload, maxLength - head.length);
}

/**
 * The lines with links to the incident and to the earlier ticket. If one of these does not exist, its line is missing.
 */
export function headLines({ link, follows }: Pick<TicketDraft, 'link' | 'follows'>): string[] {
  const earlier = follows === undefined ? [] : [`Follows: ${nameWithUrl(follows)}`];
  return [...(link === null ? [] : [`Incident: ${link}`]), ...earlier];
}

/** The title in one line, truncated with a mark, never empty. */
export function titleOf({ title }: Pick<TicketDraft, 'title'>, maxLength: number, mark = CUT_MARK): string {
  return cutText(oneLine(title) || 'Ticket without a title', maxLength, mark);
}

/**
 * The labels without duplicates. Long labels are truncated and end with a mark.
 * @param rules `not`: characters that a label must not contain
 */
export function labelsOf(
  { labels }: Pick<TicketDraft, 'labels'>,
  rules: { readonly max: number; readonly not: RegExp },
): string[] {
  const all = labels.map(label => cutText(oneLine(label).replaceAll(rules.not, '-'), rules.max, '…'));
  return [...new Set(all)].filter(label => label !== '');
}

/**
 * A sentence that names the labels that the platform did not set; undefined if it set all labels. Compares labels
 * without case.
 */
export function missingLabels(wanted: readonly string[], set: readonly string[], remedy: string): string[] {
  const there = new Set(set.map(label => label.toLowerCase()));
  const missing = wanted.filter(label => !there.has(label.toLowerCase()));
  return missing.length === 0 ? [] : [`Without the labels ${missing.join(', ')}: ${remedy}`];
}

function nameWithUrl({ externalTicketId, url }: TicketRef): string {
  return url === undefined ? externalTicketId : `${externalTicketId} (${url})`;
}

function visible(json: string): string {
  const escaped = json.replaceAll(UNSEEN, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return escaped.toWellFormed();
}

function upTo(text: string, end: number): string {
  const splitsPair = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end));
  return text.slice(0, Math.max(0, splitsPair ? end - 1 : end));
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

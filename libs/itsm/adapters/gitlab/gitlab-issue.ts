import type { Json, JsonObject, Severity } from '#core';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { asObject, asText } from '../../adapter/platform-answer.js';
import { isDeclined } from '../../adapter/ticket-change.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import type { TicketState } from '../../adapter/ticket-state.js';
import { cutText, oneLine, payloadText } from '../../adapter/ticket-text.js';
import { idIn } from './gitlab-request.js';
import type { GitLabSettings } from './gitlab-settings.js';

/**
 * Longest title, and description, in characters. GitLab takes longer descriptions, but where one has too many words, the
 * issue gets no entry in the search index (`PgFullTextSearchable` of its source) and would never be found.
 */
const LIMITS = { title: 255, text: 20_000, description: 100_000 } as const;

/** The word in a description by which an issue is found: the index splits words at hyphens, and drops long ones. */
export function keyWord(key: string): string {
  return `key${key.replaceAll('-', '')}`;
}

/** The labels of a severity. */
export function severityLabels(severity: Severity, { priorities }: GitLabSettings): string[] {
  return [...new Set([severity, toLabel(priorities?.[severity] ?? severity)])];
}

export function renderIssue(draft: TicketDraft, settings: GitLabSettings): RenderedTicket {
  const title = cutText(oneLine(draft.title) || 'Ticket without a title', LIMITS.title);
  const { key, link, text = '', follows } = draft;
  const labels = [...new Set([...draft.labels.map(toLabel), ...severityLabels(draft.severity, settings)])];
  const head = [
    cutText(text, LIMITS.text),
    link === null ? '' : `Incident: ${link}`,
    follows === undefined ? '' : `Follows: ${follows.url ?? follows.externalTicketId}`,
    `Reference: ${keyWord(key)}`,
  ];
  const intro = head.flatMap(part => (part === '' ? [] : `${plainMarkdown(part)}\n\n`)).join('');
  // JSON has no line that begins with a fence.
  const payload = payloadText(draft.payload, LIMITS.description - intro.length - 20);
  const description = `${intro}\`\`\`json\n${payload}\n\`\`\``;
  const confidential = settings.visibility !== 'members';
  return { title, description, labels, body: { ...settings.fields, title, description, labels, confidential } };
}

const URL_IN_TEXT = /(https:\/\/\S+)/;

/** Markdown that shows a text as it is: no mention, no reference and no quick action, and every line on its own. */
export function plainMarkdown(text: string): string {
  const lines = text.toWellFormed().split(/\r\n|[\r\n]/);
  return lines.map(line => line.split(URL_IN_TEXT).map(escaped).join('')).join('  \n');
}

/** Addresses, which stand at the odd places, stay links. */
function escaped(part: string, at: number): string {
  if (at % 2 === 1) return part;
  const plain = part.replaceAll(/[\\`*_[\]<>#!|~@$%^&]/g, String.raw`\$&`);
  return at === 0 ? plain.replace(/^(\s*)([-+=/])/, String.raw`$1\$2`) : plain;
}

/** Labels in a list are separated by commas. */
function toLabel(text: string): string {
  return cutText(oneLine(text).replaceAll(',', '-'), 255, '…');
}

/** The names of labels, from the API or a webhook. */
export function labelsIn(value: Json | undefined): string[] {
  const list = Array.isArray(value) ? value : [];
  return list.flatMap(label => asText(label) ?? asText(asObject(label)?.['title']) ?? []);
}

/** An issue by its full reference, such as `acme/security#17`, and its id; undefined where the answer does not name it. */
export function refOf(issue: JsonObject): TicketRef | undefined {
  const [platformId, iid, url] = [idIn(issue, 'id'), idIn(issue, 'iid'), asText(issue['web_url'])];
  if (platformId === undefined || iid === undefined) return undefined;
  const externalTicketId = asText(asObject(issue['references'])?.['full']) ?? `#${iid}`;
  return { externalTicketId, platformId, ...(url?.startsWith('https://') && { url }) };
}

/**
 * Where an issue stands, from the API or a webhook; undefined where it does not say. GitLab knows open and closed only: a
 * closed issue counts as closed if it was moved, is a duplicate, or has a label such as `wontfix`, and else as resolved.
 */
export function stateOf(
  issue: JsonObject,
  labels: readonly string[] = labelsIn(issue['labels']),
): TicketState | undefined {
  const { state, moved_to_id: moved, duplicated_to_id: duplicated, updated_at: updated } = issue;
  if (state !== 'opened' && state !== 'closed') return undefined;
  const occurredAt = new Date(asText(updated) ?? NaN);
  const at = Number.isNaN(occurredAt.getTime()) ? {} : { occurredAt };
  if (state === 'opened') return { status: 'open', ...at };
  const declined = labels.map(label => label.split('::').at(-1)).find(isDeclined);
  const resolution = moved ? 'Moved' : duplicated ? 'Duplicate' : declined;
  return { status: resolution === undefined ? 'resolved' : 'closed', ...(resolution && { resolution }), ...at };
}

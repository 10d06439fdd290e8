import { SEVERITIES, type Json, type JsonObject, type Severity } from '#core';
import { asObject } from '../../adapter/platform-answer.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import { cutText, describeDraft, oneLine } from '../../adapter/ticket-text.js';
import { FIELD, type AzureDevOpsSettings } from './connector.js';

const TITLE_MAX = 255;
/** Far below the platform’s million; nobody reads more. */
const DESCRIPTION_MAX = 32_000;
const TAG_MAX = 400;

/** The tag by which a work item is found again. */
export function keyTag(key: string): string {
  return `ticket-${key}`;
}

export function priorityOf(severity: Severity, { priorities }: AzureDevOpsSettings): number {
  return Number(priorities?.[severity] ?? SEVERITIES.indexOf(severity) + 1);
}

/** A work item as a JSON Patch document (https://www.rfc-editor.org/rfc/rfc6902). */
export function renderWorkItem(draft: TicketDraft, settings: AzureDevOpsSettings): RenderedTicket<Json> {
  const title = cutText(oneLine(draft.title) || 'Ticket without a title', TITLE_MAX, '…');
  const description = describeDraft(draft, DESCRIPTION_MAX);
  const labels = [...new Set(draft.labels.map(toTag).filter(tag => tag !== ''))];
  const body = patchOf({
    ...settings.fields,
    [FIELD.title]: title,
    [FIELD.description]: `<pre>${description.split('\n').map(lineHtml).join('\n')}</pre>`,
    [FIELD.tags]: [...labels, keyTag(draft.key)].join('; '),
    [FIELD.priority]: priorityOf(draft.severity, settings),
  });
  return { title, description, labels, body };
}

/** Where work items of a type are created, and with which patch. */
export function creationOf(type: string, patch: Json): { readonly path: string; readonly json: Json } {
  const isBug = type.toLowerCase() === 'bug';
  const json = (Array.isArray(patch) ? patch : []).map(each => {
    const { op = '', path = '', value = null } = asObject(each) ?? {};
    return { op, path: isBug && path === at(FIELD.description) ? at(FIELD.steps) : path, value };
  });
  return { path: `workitems/$${encodeURIComponent(type)}`, json };
}

export function patchOf(fields: JsonObject): JsonObject[] {
  return Object.entries(fields).map(([name, value]) => ({ op: 'add', path: at(name), value }));
}

function at(field: string): string {
  return `/fields/${field}`;
}

/** Plain text as HTML, with its URLs as links. */
export function toHtml(text: string): string {
  const pieces = text.split(/(https:\/\/\S+)/).map(piece => {
    const shown = escaped(piece);
    return piece.startsWith('https://') ? `<a href="${shown.replaceAll('"', '&quot;')}">${shown}</a>` : shown;
  });
  return pieces.join('').replaceAll('\n', '<br>');
}

/** The payload stays as it is: only our own links become links. */
function lineHtml(line: string): string {
  return /^(Incident|Follows): /.test(line) ? toHtml(line) : escaped(line);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Commas and semicolons separate tags. */
function toTag(label: string): string {
  return cutText(oneLine(label).replaceAll(/[,;]/g, '-'), TAG_MAX, '…');
}

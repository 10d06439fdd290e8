import { defined, type Json, type JsonObject, type Severity } from '#core';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { asId, asMoment, asObject, asPage, asText } from '../../adapter/platform-answer.js';
import { isDeclined } from '../../adapter/ticket-change.js';
import type { TicketState, TicketStatus } from '../../adapter/ticket-state.js';
import { labelsOf } from '../../adapter/ticket-text.js';
import type { Settings } from './gitlab-api.js';

/** Longest title and label, in characters; commas separate labels in a list. */
export const NAMES = { max: 255, not: /,/g };

/** The word in a description by which an issue is found: the index splits words at hyphens, and drops long ones. */
export function keyWord(key: string): string {
  return `key${key.replaceAll('-', '')}`;
}

/** The labels of a severity. */
export function severityLabels(severity: Severity, { priorities }: Settings): string[] {
  return labelsOf({ labels: [severity, priorities?.[severity] ?? severity] }, NAMES);
}

/** The names of labels, from the API or a webhook. */
export function labelsIn(value: Json | undefined): string[] {
  const list = Array.isArray(value) ? value : [];
  return list.flatMap(label => asText(label) ?? asText(asObject(label)?.['title']) ?? []);
}

/** An issue by its full reference, such as `acme/security#17`, and its id; undefined where the answer does not name it. */
export function refOf(issue: JsonObject): TicketRef | undefined {
  const [platformId, iid] = [asId(issue['id']), asId(issue['iid'])];
  if (platformId === undefined || iid === undefined) return undefined;
  const externalTicketId = asText(asObject(issue['references'])?.['full']) ?? `#${iid}`;
  return defined({ externalTicketId, platformId, url: asPage(issue['web_url']) });
}

/**
 * Where an issue stands, from the API or a webhook; undefined where it does not say. GitLab knows open and closed only: a
 * closed issue counts as closed if it was moved, is a duplicate, or has a label such as `wontfix`, and else as resolved.
 */
export function stateOf(issue: JsonObject, labels = labelsIn(issue['labels'])): TicketState | undefined {
  const { state, moved_to_id: moved, duplicated_to_id: duplicated } = issue;
  if (state !== 'opened' && state !== 'closed') return undefined;
  const declined = labels.map(label => label.split('::').at(-1)).find(isDeclined);
  const resolution = state === 'opened' ? undefined : moved ? 'Moved' : duplicated ? 'Duplicate' : declined;
  const over: TicketStatus = resolution === undefined ? 'resolved' : 'closed';
  const status: TicketStatus = state === 'opened' ? 'open' : over;
  return defined({ status, resolution, occurredAt: asMoment(issue['updated_at']) });
}

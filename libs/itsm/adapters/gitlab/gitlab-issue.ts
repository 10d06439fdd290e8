import { defined, type Json, type JsonObject, type Severity } from '#core';
import type { Finding } from '../../adapter/api-adapter.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { asId, asMoment, asObject, asPage, asText } from '../../adapter/platform-answer.js';
import { isDeclined } from '../../adapter/ticket-change.js';
import type { TicketState, TicketStatus } from '../../adapter/ticket-state.js';
import { labelsOf } from '../../adapter/ticket-text.js';
import type { Settings } from './gitlab-api.js';

/**
 * Maximum length of titles and labels, in characters. Commas are not allowed in labels, because they separate labels in
 * a list.
 */
export const NAMES = { max: 255, not: /,/g };

/**
 * The word in the description that identifies the issue. It contains no hyphens and is short, because the search index
 * splits words at hyphens and skips long words.
 */
export function keyWord(key: string): string {
  return `key${key.replaceAll('-', '')}`;
}

/** The labels of a severity. */
export function severityLabels(severity: Severity, { priorities }: Settings): string[] {
  return labelsOf({ labels: [severity, priorities?.[severity] ?? severity] }, NAMES);
}

/** The names of labels, as the API or a webhook sends them. */
export function labelsIn(value: Json | undefined): string[] {
  const list = Array.isArray(value) ? value : [];
  return list.flatMap(label => asText(label) ?? asText(asObject(label)?.['title']) ?? []);
}

/**
 * Reference to an issue: its id and its full name, such as `acme/security#17`, or `#17` if the answer lacks the full
 * name. Undefined if the answer lacks `id` or `iid`.
 */
export function refOf(issue: JsonObject): TicketRef | undefined {
  const [platformId, iid] = [asId(issue['id']), asId(issue['iid'])];
  if (platformId === undefined || iid === undefined) return undefined;
  const externalTicketId = asText(asObject(issue['references'])?.['full']) ?? `#${iid}`;
  return defined({ externalTicketId, platformId, url: asPage(issue['web_url']) });
}

/**
 * State of an issue, from the API or a webhook; undefined if it is missing. GitLab has only the states open and closed.
 * A closed issue has the status closed if it was moved, is a duplicate, or has a label such as `wontfix`. Otherwise, it
 * has the status resolved.
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

/**
 * Attributes that a new issue may have besides those that a ticket sets (https://docs.gitlab.com/api/issues/, "New
 * issue"). GitLab does not list the attributes of a project, and ignores unknown ones.
 */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['assignee_id', 'assignee_ids', 'discussion_locked', 'discussion_to_resolve', 'due_date', 'epic_id', 'epic_iid'],
  ...['issue_type', 'merge_request_to_resolve_discussions_of', 'milestone_id', 'weight'],
]);

/** Checks that GitLab knows the attributes in the setting `fields`. Undefined if the setting is empty. */
export function lookAtFields({ fields = {} }: Settings): Finding {
  const unknown = Object.keys(fields).filter(name => !ATTRIBUTES.has(name));
  if (unknown.length === 0) return Object.keys(fields).join(', ') || undefined;
  const failed =
    `The issues API has no attribute ${unknown.join(', ')}, and GitLab would ignore it. Further attributes are ` +
    `${[...ATTRIBUTES].join(', ')}.`;
  return { failed };
}

import type { Finding } from '../../adapter/api-adapter.js';
import type { Settings } from './gitlab-api.js';

/**
 * Attributes of a new issue, besides those that a ticket fills (https://docs.gitlab.com/api/issues/, "New issue").
 * GitLab has no list of them for a project, and ignores all others.
 */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['assignee_id', 'assignee_ids', 'discussion_locked', 'discussion_to_resolve', 'due_date', 'epic_id', 'epic_iid'],
  ...['issue_type', 'merge_request_to_resolve_discussions_of', 'milestone_id', 'weight'],
]);

/** Whether GitLab knows the names in the setting `fields`; undefined if there are none. */
export function lookAtFields({ fields = {} }: Settings): Finding {
  const unknown = Object.keys(fields).filter(name => !ATTRIBUTES.has(name));
  if (unknown.length === 0) return Object.keys(fields).join(', ') || undefined;
  const failed =
    `The issues API has no attribute ${unknown.join(', ')}, and GitLab would ignore it. Further attributes are ` +
    `${[...ATTRIBUTES].join(', ')}.`;
  return { failed };
}

import { SEVERITIES, type Json, type JsonObject, type Severity } from '#core';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import { cutText, oneLine } from '../../adapter/ticket-text.js';
import type { JiraProjectSettings } from './jira-site.js';

/** Limits of Jira, in UTF-16 units. */
const MAX_SUMMARY = 255;
const MAX_LABEL = 255;

/** Default names of Jira's priorities (interface specification, section 6.5). */
const PRIORITY = { critical: 'Highest', high: 'High', medium: 'Medium', low: 'Low' } satisfies Record<Severity, string>;

/** Names or ids of the priorities, in the order of severities, the most severe first. */
export function prioritiesOf(settings: JiraProjectSettings): string[] {
  return SEVERITIES.map(severity => priorityOf(severity, settings));
}

/** Name or id of the priority for a severity. */
export function priorityOf(severity: Severity, { priorities }: JiraProjectSettings): string {
  return priorities?.[severity]?.trim() ?? PRIORITY[severity];
}

/** The entity property of an issue that contains the key, for programs. */
export const KEY_PROPERTY = 'llm-governance.ticket';

/** The label that marks the issue of a key. */
export function keyLabel(key: string): string {
  return `ticket-${key}`;
}

/** A description, both in the format of the API and as plain text. */
export interface JiraDescription {
  readonly sent: Json;
  readonly text: string;
}

/** Builds the body of `POST /issue`. */
export function renderIssue(
  draft: TicketDraft,
  settings: JiraProjectSettings,
  { sent, text }: JiraDescription,
): RenderedTicket {
  const title = cutText(oneLine(draft.title) || 'Ticket without a title', MAX_SUMMARY);
  const labels = draft.labels.map(toLabel).filter(label => label !== '');
  return {
    title,
    description: text,
    labels,
    body: {
      fields: {
        ...settings.fields,
        project: { key: settings.project_key },
        issuetype: toIssueType(settings.issue_type),
        summary: title,
        description: sent,
        labels: [...new Set([...labels, keyLabel(draft.key)])],
        priority: { name: priorityOf(draft.severity, settings) },
      },
      properties: [{ key: KEY_PROPERTY, value: { key: draft.key } }],
    },
  };
}

/** Spaces are replaced, because Jira refuses labels with spaces. */
function toLabel(text: string): string {
  return cutText(oneLine(text).replaceAll(' ', '-'), MAX_LABEL, '…');
}

function toIssueType(nameOrId: string): JsonObject {
  const text = nameOrId.trim();
  return /^\d+$/.test(text) ? { id: text } : { name: text };
}

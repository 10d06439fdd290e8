import type { JsonObject, Severity } from '#core';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import { cutText, describeDraft, oneLine } from '../../adapter/ticket-text.js';
import type { ServiceNowSettings } from './connector.js';

/** Maximum lengths of `short_description` and `description` of the table `task`, in characters. */
const LIMITS = { title: 160, description: 4_000 } as const;

/**
 * Urgency and impact for each severity (interface specification, section 6.5). The instance derives the priority from
 * both.
 */
const WEIGHT = {
  critical: { urgency: '1', impact: '1' },
  high: { urgency: '2', impact: '2' },
  medium: { urgency: '2', impact: '3' },
  low: { urgency: '3', impact: '3' },
} satisfies Record<Severity, JsonObject>;

/**
 * Renders an incident. It contains the name of the group, which is replaced by the sys_id before the incident is sent.
 */
export function renderIncident(
  draft: TicketDraft,
  { assignment_group, fields, priorities }: ServiceNowSettings,
): RenderedTicket {
  const title = cutText(oneLine(draft.title), LIMITS.title, '…');
  const description = describeDraft(draft, LIMITS.description);
  const group = oneLine(assignment_group ?? '');
  const body = {
    ...fields,
    short_description: title,
    description,
    ...weightOf(draft.severity, priorities),
    ...(group !== '' && { assignment_group: group }),
    correlation_id: draft.key,
    correlation_display: 'LLM governance',
  };
  return { title, description, labels: [], body };
}

/** Urgency and impact for a severity. */
export function weightOf(severity: Severity, priorities: ServiceNowSettings['priorities']): JsonObject {
  const [urgency, impact] = priorities?.[severity]?.split('-') ?? [];
  return urgency === undefined || impact === undefined ? WEIGHT[severity] : { urgency, impact };
}

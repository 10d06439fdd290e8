import type { Incident, RelayedApproval } from '#incidents';
import { approvalState, minute, titleOf, word } from '../commands/incident-text.js';
import type { ChatNotice } from '../chat-notifier.port.js';

const TITLE_MAX = 140;

/**
 * The notification of an incident.
 * @param dashboardUrl the address of the dashboard, without a slash at its end; null to omit the link
 */
export function incidentNotice(incident: Incident, dashboardUrl: string | null): ChatNotice {
  const { id, severity, status, userEmail, userId, provider, model, occurrences, firstSeenAt } = incident;
  return {
    title: short(`Incident: ${titleOf(incident)}`),
    state: incidentState(incident),
    facts: facts({
      Severity: severity,
      Person: userEmail ?? userId,
      Model: [provider, model].filter(part => part !== null).join('/'),
      'First seen': minute(firstSeenAt),
      Occurrences: occurrences === 1 ? null : String(occurrences),
      Incident: id,
    }),
    link: dashboardUrl === null ? null : `${dashboardUrl}/incidents/${id}`,
    buttons: status === 'open' ? [{ label: 'Acknowledge', command: `ack ${id}`, style: 'primary' }] : [],
  };
}

/**
 * The notification of an approval request.
 * @param dashboardUrl the address of the dashboard, without a slash at its end; null to omit the link
 */
export function approvalNotice(approval: RelayedApproval, dashboardUrl: string | null): ChatNotice {
  const { id, status, policyName, person, provider, model, requestedAt, expiresAt } = approval;
  return {
    title: short(`Request for approval: ${word(policyName)}`),
    state: approvalState(approval),
    facts: facts({
      Person: person,
      Model: `${provider}/${model}`,
      Requested: minute(requestedAt),
      [status === 'approved' ? 'Valid until' : 'Expires']: minute(expiresAt),
      Request: id,
    }),
    link: dashboardUrl === null ? null : `${dashboardUrl}/approvals/${id}`,
    buttons:
      status === 'pending'
        ? [
            { label: 'Approve', command: `approve ${id}`, style: 'primary' },
            { label: 'Deny', command: `deny ${id}`, style: 'danger' },
          ]
        : [],
  };
}

function incidentState({ status, acknowledgedBy, resolvedBy }: Incident): string {
  if (status === 'open') return 'Open';
  if (status === 'acknowledged') return `Acknowledged${acknowledgedBy ? ` by ${word(acknowledgedBy.name)}` : ''}`;
  return `Resolved${resolvedBy && resolvedBy.kind !== 'system' ? ` by ${word(resolvedBy.name)}` : ''}`;
}

function facts(given: Readonly<Record<string, string | null>>): ChatNotice['facts'] {
  return Object.entries(given).flatMap(([name, text]) => {
    return text === null || text === '' ? [] : [{ name, text: word(text) }];
  });
}

function short(title: string): string {
  return title.length <= TITLE_MAX
    ? title
    : `${Array.from(title)
        .slice(0, TITLE_MAX - 1)
        .join('')
        .slice(0, TITLE_MAX - 1)}…`;
}

import type { Incident, RelayedApproval } from '#incidents';
import { lineOf } from '../../inbound/report-text.js';
import type { Ticket } from '../../tickets/ticket.entity.js';

const WORD_MAX = 120;

/** An incident in one line. */
export function incidentLine(incident: Incident, reference: string): string {
  const { severity, status, occurrences } = incident;
  const times = occurrences === 1 ? 'once' : `${occurrences} times`;
  return `${reference}  ${severity}  ${status}  ${titleOf(incident)}  (${times}, last ${minute(incident.lastSeenAt)})`;
}

/** An incident in several lines, with its tickets. */
export function incidentText(incident: Incident, tickets: readonly Ticket[]): string {
  const { id, severity, status, occurrences, firstSeenAt, lastSeenAt, acknowledgedBy, resolution } = incident;
  return [
    `Incident ${id}`,
    titleOf(incident),
    `Severity ${severity}, status ${status}${acknowledgedBy ? `, acknowledged by ${word(acknowledgedBy.name)}` : ''}`,
    `Seen ${occurrences === 1 ? 'once' : `${occurrences} times`}, first ${minute(firstSeenAt)}, last ${minute(lastSeenAt)}`,
    ...(resolution === null ? [] : [`Resolution: ${word(resolution)}`]),
    ...(tickets.length === 0 ? ['No tickets'] : tickets.map(ticketLine)),
  ].join('\n');
}

/** A ticket in one line. */
export function ticketLine(ticket: Ticket): string {
  const { externalTicketId, kind, url, status, error } = ticket;
  if (externalTicketId !== null) {
    return `Ticket ${word(externalTicketId)} (${kind}): ${status ?? 'created'}${url === null ? '' : ` ${url}`}`;
  }
  if (ticket.syncState === 'rejected') return `Ticket (${kind}): refused. ${word(error ?? '')}`.trimEnd();
  return `Ticket (${kind}): not created yet`;
}

/** The state of an approval request, in one line. */
export function approvalState({ status, decidedBy }: RelayedApproval): string {
  const by = decidedBy === null ? '' : ` by ${word(decidedBy)}`;
  return {
    pending: 'Waiting for a decision',
    approved: `Approved${by}`,
    denied: `Denied${by}`,
    revoked: `Revoked${by}`,
    expired: 'Expired',
  }[status];
}

/** A name of a person, a policy or a platform, in one line. */
export function word(text: string): string {
  return lineOf(text, WORD_MAX);
}

/** A short description of an incident. */
export function titleOf({ type, details, userEmail, userId, provider, model }: Incident): string {
  const policy = details['policy_name'];
  const what = typeof policy === 'string' ? policy : type.replaceAll('_', ' ');
  const who = userEmail ?? userId;
  const where = [provider, model].filter(part => part !== null).join('/');
  return word([what, ...(who === null ? [] : [`by ${who}`]), ...(where === '' ? [] : [`with ${where}`])].join(' '));
}

/** A time in UTC, for people. */
export function minute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

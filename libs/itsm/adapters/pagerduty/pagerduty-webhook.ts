import { createHmac } from 'node:crypto';
import type { JsonObject } from '#core';
import { isSameSecret, type InboundReport } from '../../adapter/inbound-report.js';
import { asObject, asText } from '../../adapter/platform-answer.js';
import type { InboundUpdate, TicketStatus } from '../../adapter/ticket-state.js';

const STATUSES = new Map<string, TicketStatus>([
  ['triggered', 'open'],
  ['acknowledged', 'in_progress'],
  ['resolved', 'resolved'],
]);

const EVENT_ID = /^[\w.-]{1,200}$/;

/** A V3 webhook of an incident (https://developer.pagerduty.com/docs/webhooks/v3-overview/); null for anything else. */
export function inboundOf(body: JsonObject): InboundUpdate | null {
  const event = asObject(body['event']);
  const incident = asObject(event?.['data']);
  const isOfIncident = asText(event?.['event_type'])?.startsWith('incident.') === true;
  if (!isOfIncident || incident?.['type'] !== 'incident') return null;
  // The deduplication key of the alert that opened the incident.
  const externalTicketId = asText(incident['incident_key']);
  const status = STATUSES.get(asText(incident['status']) ?? '');
  if (externalTicketId === undefined || status === undefined) return null;
  const id = asText(event?.['id']) ?? '';
  const occurredAt = new Date(asText(event?.['occurred_at']) ?? NaN);
  const updatedBy = asText(asObject(event?.['agent'])?.['summary']);
  return {
    ...{ externalTicketId, status },
    ...(!Number.isNaN(occurredAt.getTime()) && { occurredAt }),
    ...(updatedBy !== undefined && { updatedBy }),
    // The colon ends it, so that no digits of it are taken for a count.
    ...(EVENT_ID.test(id) && { eventId: `pagerduty:${id}:` }),
  };
}

/**
 * Whether one of the signatures is right: there are several while a secret is being replaced
 * (https://developer.pagerduty.com/docs/webhooks/webhook-signatures/).
 */
export function isFromPagerDuty({ headers, bytes }: InboundReport, secret: string): boolean {
  const name = 'x-pagerduty-signature';
  const signatures = Object.hasOwn(headers, name) ? (headers[name] ?? '') : '';
  if (bytes === null) return false;
  const wanted = `v1=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
  return signatures.split(',').some(each => isSameSecret(wanted, each.trim()));
}

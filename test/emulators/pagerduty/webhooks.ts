import { createHmac, randomUUID } from 'node:crypto';
import type { JsonObject } from '#core';
import type { Alert } from './alerts.js';

/**
 * The types of incident events that a subscription receives
 * (https://developer.pagerduty.com/docs/webhooks/v3-overview/, "Event Types").
 */
export type IncidentEvent = 'triggered' | 'acknowledged' | 'unacknowledged' | 'resolved' | 'reopened' | 'annotated';

/** A delivery of a webhook. */
export interface WebhookDelivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A V3 webhook for the incident of an alert. Notes have another data type. The signature is the HMAC-SHA256 of the body
 * with each valid secret, separated by commas (https://developer.pagerduty.com/docs/webhooks/webhook-signatures/).
 */
export function webhookOf(
  alert: Alert,
  event: IncidentEvent,
  secrets: readonly string[],
  at = new Date(),
): WebhookDelivery {
  const summary = alert.payload['summary'] ?? null;
  const reference = { id: 'PGR0VU2', type: 'incident_reference', summary };
  const incident: JsonObject = {
    ...{ id: 'PGR0VU2', type: 'incident', self: 'https://api.pagerduty.com/incidents/PGR0VU2' },
    ...{ html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2', number: 2, status: alert.status },
    ...{ incident_key: alert.dedupKey, created_at: '2020-04-09T15:16:27Z', title: summary, urgency: 'high' },
    ...{ service: { id: 'PF9KMXH', type: 'service_reference', summary: 'API Service' }, resolve_reason: null },
  };
  const note: JsonObject = {
    incident: reference,
    id: 'P2LA89X',
    content: 'Seen.',
    trimmed: false,
    type: 'incident_note',
  };
  const body = JSON.stringify({
    event: {
      ...{ id: randomUUID(), event_type: `incident.${event}`, resource_type: 'incident' },
      ...{ occurred_at: at.toISOString(), client: { name: 'PagerDuty' } },
      agent: { id: 'PLH1HKV', type: 'user_reference', summary: 'Tenex Engineer' },
      data: event === 'annotated' ? note : incident,
    },
  });
  return { body, headers: signed(body, secrets) };
}

/** The request that a subscription receives when somebody tests it. */
export function pingOf(secrets: readonly string[]): WebhookDelivery {
  const data = { message: 'Hello from your friend Pagey!', type: 'ping' };
  const event = { id: randomUUID(), event_type: 'pagey.ping', resource_type: 'pagey', data };
  const body = JSON.stringify({
    event: { ...event, occurred_at: new Date().toISOString(), agent: null, client: null },
  });
  return { body, headers: signed(body, secrets) };
}

function signed(body: string, secrets: readonly string[]): Record<string, string> {
  const signatures = secrets.map(secret => `v1=${createHmac('sha256', secret).update(body).digest('hex')}`);
  return {
    ...{ 'content-type': 'application/json', 'user-agent': 'PagerDuty-Webhook/V3.0', 'x-webhook-id': randomUUID() },
    'x-pagerduty-signature': signatures.join(','),
  };
}

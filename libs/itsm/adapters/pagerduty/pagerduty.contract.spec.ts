import { createHmac } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { itsmAdapterContract } from 'nest-llm-governance/testing';
import { asObject, type TicketRef } from '#itsm';
import type { Alert } from '../../../../test/emulators/pagerduty/alerts.js';
import { startEventsApi } from '../../../../test/emulators/pagerduty/events-api.js';
import { platformAccess } from '../../../../test/support/itsm/platform-access.js';
import { EgressAdapterHttp } from '../../delivery/egress-adapter-http.js';
import { PagerDutyAdapter } from './pagerduty.adapter.js';

const SEVERITIES = { critical: 'critical', high: 'error', medium: 'warning', low: 'info' };

describe('PagerDutyAdapter keeps the contract of adapters, over HTTPS: it', () => {
  const platforms = platformAccess();

  const contract = itsmAdapterContract(async () => {
    const api = await startEventsApi({ authority: platforms.authority });
    const another = 'f'.repeat(32);
    api.integrations.add(another);
    const alertsOf = ({ externalTicketId }: TicketRef): Alert[] =>
      api.alerts.all.filter(({ dedupKey }) => dedupKey === externalTicketId);
    return {
      newAdapter: () => new PagerDutyAdapter(),
      settings: { region: 'eu' as const, events_url: api.origin },
      secrets: { routing_key: api.routingKey },
      http: new EgressAdapterHttp(platforms.egress, [api.origin]),
      creates: ({ json }) => asObject(json)?.['event_action'] === 'trigger',
      shows: 'plain' as const,
      limits: { title: 1_024, description: 160_000 },
      severity: { in: ({ payload }) => asObject(payload)?.['severity'], expected: SEVERITIES },
      fieldRefusal: {
        answer: {
          status: 400,
          json: {
            ...{ status: 'invalid event', message: 'Event object is invalid' },
            errors: ["'payload.severity' is invalid (must be one of: critical, error, warning, info)"],
          },
        },
        field: 'payload.severity',
      },
      createdWith: [202],
      status: {
        move: (ref, state) =>
          alertsOf(ref).forEach(alert => (alert.status = state === 'resolved' ? state : 'triggered')),
        expected: { triggered: 'open', resolved: 'resolved' },
      },
      // A ticket is named by the deduplication key that the adapter has sent. It never changes.
      rename: 'none' as const,
      update: {
        standing: ref => (alertsOf(ref).some(({ status }) => status !== 'resolved') ? 'open' : 'resolved'),
        texts: () => [],
        priority: ref => alertsOf(ref).at(-1)?.payload['severity'],
        resolved: 'resolved',
      },
      signs: (bytes, secret) => ({
        'x-pagerduty-signature': `v1=${createHmac('sha256', secret).update(bytes).digest('hex')}`,
      }),
      signsTogether: true,
      inbound: [
        {
          body: {
            event: {
              ...{ id: '5ac64822-4adc-4fda-ade0-410becf0de4f', event_type: 'incident.acknowledged' },
              ...{ resource_type: 'incident', occurred_at: '2026-11-20T10:15:00.123Z' },
              agent: { id: 'PLH1HKV', type: 'user_reference', summary: 'Tenex Engineer' },
              data: {
                ...{ id: 'PGR0VU2', type: 'incident', number: 2, status: 'acknowledged', urgency: 'high' },
                ...{ incident_key: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', resolve_reason: null },
              },
            },
          },
          update: {
            ...{ externalTicketId: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', status: 'in_progress' },
            ...{ occurredAt: new Date('2026-11-20T10:15:00.123Z'), updatedBy: 'Tenex Engineer' },
            eventId: 'pagerduty:5ac64822-4adc-4fda-ade0-410becf0de4f:',
          },
        },
      ],
      interfere: interference => api.interfere(interference),
      close: () => api.close(),
    };
  });

  it.each(contract.map(({ title, run }) => [title, run] as const))('%s', async (_title, run) => run());
});

import { randomUUID } from 'node:crypto';
import { asObject, asText } from '#itsm';
import { startEventsApi } from '../../../emulators/pagerduty/events-api.js';
import type { Alert } from '../../../emulators/pagerduty/alerts.js';
import type { Authority } from '../../../support/certificates.js';
import type { PlatformWithPeople, PlatformReport, PlatformTicket } from './platform-with-people.js';

/**
 * PagerDuty with changes by people. Its alerts cannot be read. Its webhooks report every change, including those that
 * events cause. Opening an alert again creates another alert with the same key.
 */
export async function startPagerDutyWithPeople(authority: Authority, now: () => Date): Promise<PlatformWithPeople> {
  const api = await startEventsApi({ authority });
  api.alerts.now = now;
  const reported = new Map<string, string>();
  const current = (): Alert[] => [...new Map(api.alerts.all.map(alert => [alert.dedupKey, alert])).values()];
  return {
    kind: 'pagerduty',
    endpoint: api,
    connector: {
      kind: 'pagerduty',
      settings: { events_url: api.origin },
      secrets: { routing_key: api.routingKey },
    },
    priorities: {},
    tickets: () => current().map(shown),
    ticket: id => shownIf(api.alerts.all.findLast(({ dedupKey }) => dedupKey === id)),
    newest: () => shownIf(api.alerts.all.at(-1)),
    idOf: ({ json }) => asText(asObject(json)?.['dedup_key']),
    act: (action, id) => {
      const alert = current().find(({ dedupKey, status }) => dedupKey === id && status !== 'resolved');
      if (!alert || (action !== 'start' && action !== 'resolve')) return false;
      alert.status = action === 'start' ? 'acknowledged' : 'resolved';
      return {};
    },
    reports: () =>
      current().flatMap(alert => {
        // An alert that was resolved, and another one with the same key, are two changes, even if nobody looked between them.
        const state = `${alert.id} ${alert.status}`;
        if (reported.get(alert.dedupKey) === state) return [];
        reported.set(alert.dedupKey, state);
        return [{ id: alert.dedupKey, ...reportOf(alert, now()) }];
      }),
    writes: () => true,
    creates: ({ json }) => asObject(json)?.['event_action'] === 'trigger',
  };
}

function reportOf({ id, dedupKey, status }: Alert, now: Date): PlatformReport {
  const event = { id: randomUUID(), event_type: `incident.${status}`, resource_type: 'incident' };
  const data = { id, type: 'incident', status, incident_key: dedupKey };
  return { body: { event: { ...event, occurred_at: now.toISOString(), data } } };
}

function shownIf(alert: Alert | undefined): PlatformTicket | undefined {
  return alert && shown(alert);
}

function shown({ dedupKey, status }: Alert): PlatformTicket {
  const isOver = status === 'resolved';
  const names = { id: dedupKey, name: dedupKey, key: dedupKey };
  return { ...names, status, title: '', isOver, isFinal: false, priority: '', texts: [] };
}

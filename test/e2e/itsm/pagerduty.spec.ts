import { describe, expect, it } from '@jest/globals';
import type { Alert } from '../../emulators/pagerduty/alerts.js';
import { startEventsApi, type EventsApi } from '../../emulators/pagerduty/events-api.js';
import { pingOf, webhookOf } from '../../emulators/pagerduty/webhooks.js';
import type { TestApp } from '../../support/test-app.js';
import { lifeStage, usePlatform, type LifeStage } from './life.support.js';
import { finish } from './tickets.support.js';

const SECRET = 'a-secret-of-webhooks-0123456789';
const HOUR_MS = 3_600_000;

let app: TestApp;
let api: EventsApi;

usePlatform(startEventsApi, test => {
  ({ app, platform: api } = test);
});

const connected = (): Promise<LifeStage> =>
  lifeStage(app, {
    kind: 'pagerduty',
    settings: { events_url: api.origin },
    secrets: { routing_key: api.routingKey, webhook_secret: SECRET },
  });

async function opened(): Promise<LifeStage & { alert: Alert }> {
  const stage = await connected();
  await stage.violate();
  await stage.settled('created');
  const [alert] = api.alerts.all;
  if (!alert) throw new Error('There is no alert.');
  return { ...stage, alert };
}

const states = (): string[] => api.alerts.all.map(({ status }) => status);

describe('an incident with an alert in PagerDuty', () => {
  it('has one alert, whose key is the ticket, and the connector test opens another', async () => {
    const stage = await opened();
    const ticket = await stage.ticket();
    expect(ticket).toMatchObject({ external_ticket_id: ticket.id, url: null, degraded: [] });
    expect(api.alerts.all).toMatchObject([{ dedupKey: ticket.id, payload: { severity: 'error' } }]);
    const tested = await stage.call('POST', `/v1/itsm/connectors/${stage.connector.id}/test`);
    expect(tested.body).toMatchObject({ passed: true, ticket: { sync_state: 'created' } });
    expect(api.alerts.all).toHaveLength(2);
  });

  it('shows its integration key in no preview, ticket, connector or audit entry', async () => {
    const { call, connector, incidents, violate } = await opened();
    const path = `/v1/itsm/connectors/${connector.id}`;
    await call('PATCH', path, { active: false });
    await violate(undefined, { model: 'o1' });
    await call('PATCH', path, { active: true });
    const [{ id }] = (await incidents('&model=o1')) as [{ id: string }];
    const preview = await call('POST', `/v1/incidents/${id}/tickets`, { preview: true });
    expect(preview.body.body).toMatchObject({ event_action: 'trigger', client: 'LLM governance' });
    const lists = ['/v1/itsm/tickets', '/v1/itsm/connectors', '/v1/audit-log'];
    const shown = await Promise.all(lists.map(list => call('GET', list)));
    expect([preview, ...shown].map(({ text }) => text).join()).not.toContain(api.routingKey);
  });

  it.each(['answer lost', 'broken JSON', '500'] as const)('has one alert after “%s”', async name => {
    const stage = await connected();
    const fault = api.fault(name);
    await stage.violate();
    await api.reach(1);
    fault.end();
    await finish(app, stage.orgId);
    await stage.settled('created');
    expect(states()).toEqual(['triggered']);
    expect(await stage.ticket()).toMatchObject({ error: null, sync_state: 'created' });
  });

  it('resolves its alert, and opens another alert of the same key when it occurs again', async () => {
    const { violate, pass, worsen, resolve, ticket } = await opened();
    await violate();
    await pass(HOUR_MS);
    await worsen();
    // PagerDuty can change neither the texts nor the severity of an open alert, so nothing is sent.
    expect(api.alerts.all).toMatchObject([{ status: 'triggered', log: [{ action: 'trigger' }] }]);
    await resolve();
    expect(states()).toEqual(['resolved']);
    expect(await ticket()).toMatchObject({ status: 'resolved', change_error: null });
    await violate();
    await pass(HOUR_MS);
    expect(states()).toEqual(['resolved', 'triggered']);
    const [first, second] = api.alerts.all;
    expect(second).toMatchObject({ dedupKey: first?.dedupKey, payload: { severity: 'critical' } });
    expect(second?.payload['summary']).toContain('policy_violation');
    expect(await ticket()).toMatchObject({ external_ticket_id: first?.dedupKey, status: 'open' });
  });

  it("follows people's changes by signed webhooks, and pages again when it occurs again", async () => {
    const { report, ticket, violate, pass, alert } = await opened();
    const tell = async (status: Alert['status']): Promise<number> => {
      alert.status = status;
      app.clock.advance(1_000);
      const { body, headers } = webhookOf(alert, status, ['the-one-before-0123456789', SECRET], app.clock.now());
      expect(await report(body, { ...headers, 'x-pagerduty-signature': 'v1=00' })).toBe(401);
      return report(body, headers);
    };
    expect(await tell('acknowledged')).toBe(200);
    expect(await ticket()).toMatchObject({ status: 'in_progress', updated_by: 'Tenex Engineer' });
    expect(await tell('resolved')).toBe(200);
    expect(await ticket()).toMatchObject({ status: 'resolved' });
    await violate();
    await pass(HOUR_MS);
    expect(states()).toEqual(['resolved', 'triggered']);
    expect(await ticket()).toMatchObject({ status: 'open' });
  });

  it('is in progress for the next incident, too, after people have acknowledged it', async () => {
    const { report, ticket, violate, pass, alert } = await opened();
    alert.status = 'acknowledged';
    app.clock.advance(1_000);
    const { body, headers } = webhookOf(alert, 'acknowledged', [SECRET], app.clock.now());
    expect(await report(body, headers)).toBe(200);
    await pass(2 * HOUR_MS);
    await violate();
    await pass(HOUR_MS);
    expect(states()).toEqual(['acknowledged']);
    expect(await ticket()).toMatchObject({ status: 'in_progress', follows: expect.any(String) });
  });

  it('is not changed by the test of a webhook, which is accepted', async () => {
    const { report, ticket } = await opened();
    const { body, headers } = pingOf([SECRET]);
    expect(await report(body, headers)).toBe(204);
    expect(await ticket()).toMatchObject({ status: 'open' });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillEveryTable } from '../../support/fill-every-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../../support/webhooks.js';

const HOUR_MS = 3_600_000;

interface Found {
  kind: string;
  id: string;
  title: string;
}

describe('the queries of the pages', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(LOOPBACK_ALLOWED);
    await fillEveryTable(app, app.orgId, app.call);
  });

  afterAll(() => app?.close());

  const items = async (path: string): Promise<Record<string, string>[]> => (await app.call('GET', path)).body.items;
  const search = async (q: string): Promise<Found[]> =>
    (await app.call('GET', `/v1/search?q=${encodeURIComponent(q)}`)).body.results;
  const ids = (rows: { id?: string }[]): (string | undefined)[] => rows.map(({ id }) => id);

  it('list incidents of several statuses, severities and types, of a time range, and in either order', async () => {
    const all = await items('/v1/incidents?limit=100');
    expect(all.length).toBeGreaterThan(1);
    expect(ids(await items('/v1/incidents?limit=100&status=open,acknowledged'))).toEqual(
      ids(all.filter(({ status }) => status !== 'resolved')),
    );
    expect(await items('/v1/incidents?status=resolved,acknowledged')).toEqual(
      all.filter(({ status }) => status !== 'open'),
    );
    const { severity = '' } = all[0] ?? {};
    expect(ids(await items(`/v1/incidents?limit=100&severity=${severity}`))).toEqual(
      ids(all.filter(each => each['severity'] === severity)),
    );
    expect(ids(await items('/v1/incidents?limit=100&sort=oldest'))).toEqual(ids(all).toReversed());
    const [soon, past] = [HOUR_MS, -HOUR_MS].map(ms => new Date(app.clock.now().getTime() + ms).toISOString());
    expect(await items(`/v1/incidents?since=${soon}`)).toEqual([]);
    expect(await items(`/v1/incidents?until=${past}`)).toEqual([]);
    expect(await items(`/v1/incidents?limit=100&since=${past}&until=${soon}`)).toEqual(all);
    const violation = all.find(({ model }) => model !== null);
    expect(await items(`/v1/incidents?model=${violation?.['model']}&provider=nobody`)).toEqual([]);
    expect(ids(await items(`/v1/incidents?model=${violation?.['model']}`))).toContain(violation?.['id']);
  });

  it.each([
    ['status=open,closed', 'must be one of: open, acknowledged, resolved; or several of them, separated by commas'],
    ['status=open,', 'separated by commas'],
    ['since=yesterday', 'must be an ISO 8601 time'],
    ['sort=worst', 'must be one of: newest, oldest'],
  ])('refuse incidents?%s and name the allowed values', async (query, message) => {
    const { status, body } = await app.call('GET', `/v1/incidents?${query}`);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('list decisions of several outcomes, of a provider and of a time range', async () => {
    const all = await items('/v1/decisions?limit=100');
    expect(ids(await items('/v1/decisions?limit=100&action=alert,require_approval'))).toEqual(
      ids(all.filter(({ action }) => action === 'alert' || action === 'require_approval')),
    );
    expect(await items('/v1/decisions?provider=nobody')).toEqual([]);
    expect(ids(await items('/v1/decisions?provider=openai&limit=100'))).toEqual(
      ids(all.filter(({ provider }) => provider === 'openai')),
    );
    const past = new Date(app.clock.now().getTime() - HOUR_MS).toISOString();
    expect(await items(`/v1/decisions?until=${past}`)).toEqual([]);
    expect(await items(`/v1/decisions?limit=100&since=${past}`)).toEqual(all);
  });

  it('list the deliveries of all webhooks, and those of one event', async () => {
    const all = await items('/v1/deliveries?limit=100');
    const webhooks = await items('/v1/webhooks?limit=100');
    const each = await Promise.all(webhooks.map(({ id }) => items(`/v1/webhooks/${id}/deliveries?limit=100`)));
    expect(new Set(ids(all))).toEqual(new Set(ids(each.flat())));
    expect(all.length).toBeGreaterThan(0);
    const { event_id: event = '' } = all[0] ?? {};
    expect(ids(await items(`/v1/deliveries?limit=100&event_id=${event}`))).toEqual(
      ids(all.filter(delivery => delivery['event_id'] === event)),
    );
    expect(await items('/v1/deliveries?event_id=evt_nothing')).toEqual([]);
    expect(await items('/v1/deliveries?status=delivered')).toEqual([]);
    const soon = new Date(Date.now() + 24 * HOUR_MS).toISOString();
    expect(await items(`/v1/deliveries?since=${soon}`)).toEqual([]);
    const other = await app.addOrganization();
    expect((await other.call('GET', '/v1/deliveries')).body.items).toEqual([]);
  });

  it('find users by a part of the name or the address, ignoring case', async () => {
    await app.call('POST', '/v1/users', { email: 'Oezlem@people.example', name: 'Özlem Ölçer' });
    for (const q of ['ÖLÇ', 'özlem', 'oezlem@PEOPLE']) {
      expect(await items(`/v1/users?q=${encodeURIComponent(q)}`)).toMatchObject([{ name: 'Özlem Ölçer' }]);
    }
    expect(await items('/v1/users?q=%25')).toEqual([]);
    expect(await search('ölçer')).toMatchObject([{ kind: 'user', title: 'Özlem Ölçer' }]);
  });

  it('find resources by name and by id, only of kinds that the credential may read', async () => {
    expect(await search('ask first')).toMatchObject([
      { kind: 'policy', title: 'Ask first', subtitle: 'require_approval' },
    ]);
    expect(await search('FILL-1')).toMatchObject([{ kind: 'ticket', title: 'FILL-1' }]);
    for (const [kind, path] of [
      ['incident', '/v1/incidents'],
      ['decision', '/v1/decisions'],
      ['approval', '/v1/approvals'],
      ['budget', '/v1/budgets'],
      ['webhook', '/v1/webhooks'],
      ['connector', '/v1/itsm/connectors'],
      ['ticket', '/v1/itsm/tickets'],
      ['anomaly', '/v1/anomalies'],
      ['policy', '/v1/policies'],
      ['user', '/v1/users'],
    ] as const) {
      const [first] = await items(path);
      const id = first?.['id'] ?? '';
      expect(await search(id.toUpperCase())).toEqual([expect.objectContaining({ kind, id })]);
      const other = await app.addOrganization();
      expect((await other.call('GET', `/v1/search?q=${id}`)).body.results).toEqual([]);
    }
    const made = await app.call('POST', '/v1/tokens', { name: 'Desk', role: 'auditor', scopes: ['itsm:read'] });
    const desk = app.as(made.body.token);
    expect((await desk('GET', '/v1/search?q=ask%20first')).body.results).toEqual([]);
    expect((await app.call('GET', '/v1/search?q=a')).status).toBe(400);
  });
});

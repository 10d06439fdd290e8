import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillEveryTable } from '../../support/fill-every-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../../support/webhooks.js';

const NOTHING_DONE = ['user', 'policy', 'event', 'webhook', 'connector'].map(name => ({ name, done: false }));

describe('the overview', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(LOOPBACK_ALLOWED);
  });

  afterAll(() => app?.close());

  it('of a new organization shows that nothing needs attention, and that no first step is done', async () => {
    expect((await app.call('GET', '/v1/overview')).body).toEqual({
      generated_at: app.clock.now().toISOString(),
      incidents: { open: { critical: 0, high: 0, medium: 0, low: 0 }, newest: [] },
      deliveries: { failed: 0, webhooks: [] },
      connectors: { failing: [], tickets_not_created: 0 },
      budgets: { above_80: 0, highest: [], organization: [] },
      own_budgets: [],
      approvals: { waiting: 0, oldest: [] },
      anomalies: { unjudged: 0, newest: [] },
      first_steps: NOTHING_DONE,
    });
  });

  it('shows what needs attention, and nothing of another organization', async () => {
    const { orgId, call } = await app.addOrganization();
    await fillEveryTable(app, orgId, call);
    await app.database.asOwner(
      `update governance.webhook_deliveries set status = 'failed', ended_at = created_at where org_id = $1`,
      [orgId],
    );
    await app.database.asOwner(`update governance.incidents set severity = 'critical' where org_id = $1`, [orgId]);
    await app.database.asOwner(
      `update governance.itsm_connectors set active = true, problem_code = 'unauthorized', problem_since = now()
       where org_id = $1 and id = (select min(id::text)::uuid from governance.itsm_connectors where org_id = $1)`,
      [orgId],
    );
    await app.database.asOwner(
      `update governance.budget_windows w set spent_usd = b.amount_usd * 0.9, warned_at = now()
       from governance.budgets b where b.org_id = w.org_id and b.id = w.budget_id and w.org_id = $1`,
      [orgId],
    );
    const { body } = await call('GET', '/v1/overview');
    expect(body.first_steps).toEqual(NOTHING_DONE.map(({ name }) => ({ name, done: true })));
    expect(body.incidents.open.critical).toBeGreaterThan(0);
    expect(body.incidents.newest).toContainEqual(
      expect.objectContaining({ severity: 'critical', subject: expect.any(String) }),
    );
    expect(body.deliveries.failed).toBeGreaterThan(0);
    expect(body.deliveries.webhooks[0]).toMatchObject({ failed: expect.any(Number), url: expect.any(String) });
    expect(body.connectors.failing).toMatchObject([{ problem_code: 'unauthorized' }]);
    expect(body.budgets).toMatchObject({ above_80: 1, highest: [{ amount_usd: 1000, spent_usd: 900 }] });
    expect(body.budgets.organization).toEqual(body.budgets.highest);
    expect(body.approvals).toMatchObject({ waiting: 1, oldest: [{ policy_name: 'Ask first' }] });
    expect(body.anomalies.unjudged).toBeGreaterThan(0);
    expect((await app.call('GET', '/v1/overview')).body.first_steps).toEqual(NOTHING_DONE);
  });

  it('shows members only their own budgets and their parts of split budgets', async () => {
    const { call } = await app.addOrganization();
    const [ada, other] = await Promise.all(
      ['ada', 'other'].map(
        async name => (await call('POST', '/v1/users', { email: `${name}@own.example`, name })).body,
      ),
    );
    const budget = async (name: string, more: object): Promise<string> =>
      (await call('POST', '/v1/budgets', { name, amount_usd: 10, period: 'monthly', enforcement: 'notify', ...more }))
        .body.id;
    await budget('everybody together', { scope: 'organization' });
    await budget('of another', { scope: 'user', user_id: other.id });
    await budget('hers', { scope: 'user', user_id: ada.id });
    // Budgets are listed newest first, so this one needs a later time than the others.
    app.clock.advance(1);
    const split = await budget('each', { scope: 'organization', split_by: 'user' });
    await call('PUT', `/v1/budgets/${split}/overrides`, { part: ada.id, amount_usd: 25 });
    const call4o = { provider: 'openai', model: 'gpt-4o', input_tokens: 1, output_tokens: 1 };
    const occurred_at = app.clock.now().toISOString();
    await call('POST', '/v1/usage/events', {
      events: [
        { id: 'own-1', user_id: ada.id, cost_usd: 2, occurred_at, ...call4o },
        { id: 'own-2', user_id: other.id, cost_usd: 3, occurred_at, ...call4o },
      ],
    });
    const { body: made } = await call('POST', '/v1/tokens', { name: 'hers', role: 'member', user_id: ada.id });
    const { body } = await app.as(made.token)('GET', '/v1/overview');
    expect(body).toMatchObject({ budgets: null, incidents: null });
    expect(body.own_budgets).toEqual([
      expect.objectContaining({ name: 'each', amount_usd: 25, spent_usd: 2 }),
      expect.objectContaining({ name: 'hers', amount_usd: 10, spent_usd: 2 }),
    ]);
  });

  it('leaves out resources that the credential may not read', async () => {
    const made = await app.call('POST', '/v1/tokens', { name: 'Desk', role: 'auditor', scopes: ['itsm:read'] });
    const { body } = await app.as(made.body.token)('GET', '/v1/overview');
    expect(body).toMatchObject({ incidents: null, budgets: null, connectors: { failing: [] } });
  });
});

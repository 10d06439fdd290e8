import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '#outbox';
import { AuditAnchors } from '../../libs/webhooks/anchors/audit-anchors.js';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { fireEvents, LOOPBACK_ALLOWED, registerWebhook } from '../support/webhooks.js';

const HOUR_MS = 3_600_000;
const CLOSED = 'https://127.0.0.1:9/';
const NO_WORKERS = { ...LOOPBACK_ALLOWED, outbox: { workers: false } };

describe('the anchor of an audit log', () => {
  let app: TestApp;
  let other: TestApp;
  let time: MovedTime;
  let orgId: string;
  let call: Call;

  beforeAll(async () => {
    app = await startTestApp({ ...NO_WORKERS, webhooks: { auditAnchorHours: 6 } });
    time = await moveTime(app.database);
    other = await startTestApp({
      ...NO_WORKERS,
      webhooks: { auditAnchorHours: 6 },
      testDatabase: app.database,
      orgId: app.orgId,
      time: app.clock,
    });
  });

  afterAll(async () => {
    await other?.close();
    await app?.close();
  });

  beforeEach(async () => {
    ({ orgId, call } = await app.addOrganization());
  });

  const send = (from = app): Promise<number> => from.app.get(AuditAnchors).send();
  const register = async (events?: string[]): Promise<string> =>
    (await registerWebhook(call, { url: CLOSED, ...(events && { events }) })).id;

  async function sent(): Promise<{ type: string; data: object }[]> {
    const rows = await app.database.asOwner<{ body: Buffer }>(
      `select body from governance.events where org_id = $1 and type = 'audit_anchor' order by id`,
      [orgId],
    );
    return rows.map(({ body }) => JSON.parse(body.toString('utf8')));
  }

  async function deliveriesTo(id: string): Promise<string[]> {
    const { body } = await call('GET', `/v1/webhooks/${id}/deliveries?limit=100`);
    return body.items.map((each: { event_type: string }) => each.event_type);
  }

  it('is sent to the webhook that subscribes to it, with the last row of the log', async () => {
    const id = await register(['audit_anchor']);
    expect(await send()).toBeGreaterThan(0);
    const [row] = (await call('GET', '/v1/audit-log?limit=1')).body.items;
    const [event, ...more] = await sent();
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'audit_anchor',
      data: { seq: row.seq, hash: row.hash, sealed: true, anchored_at: expect.any(String) },
    });
    expect(await deliveriesTo(id)).toEqual(['audit_anchor']);
  });

  it('is not created if no webhook subscribes to it', async () => {
    const all = await register();
    await register([...EVENT_TYPES]);
    await send();
    expect(await sent()).toEqual([]);
    expect(await deliveriesTo(all)).toEqual([]);
  });

  it('is not sent to a webhook without event types, when another webhook gets it', async () => {
    const [all, named] = [await register(), await register(['audit_anchor', 'policy_violation'])];
    await send();
    await fireEvents(app, orgId);
    expect(await deliveriesTo(all)).toEqual(['policy_violation']);
    expect((await deliveriesTo(named)).toSorted()).toEqual(['audit_anchor', 'policy_violation']);
  });

  it('is created once per interval, by one of several replicas', async () => {
    await register(['audit_anchor']);
    await Promise.all([send(), send(other), send(), send(other)]);
    expect(await sent()).toHaveLength(1);
    await time.advance(5 * HOUR_MS);
    await send();
    expect(await sent()).toHaveLength(1);
    await time.advance(HOUR_MS);
    await Promise.all([send(), send(other)]);
    expect(await sent()).toHaveLength(2);
  });

  it('reports an invalid seal if the log was changed without the keyring', async () => {
    await register(['audit_anchor']);
    await app.database.asOwner(
      `update governance.audit_heads set hash = decode(repeat('00', 32), 'hex') where org_id = $1`,
      [orgId],
    );
    await send();
    expect(await sent()).toMatchObject([{ data: { sealed: false } }]);
  });

  it('waits while its webhook is paused, and is sent when it is resumed', async () => {
    const id = await register(['audit_anchor']);
    await call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
    await send();
    expect(await sent()).toEqual([]);
    await call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
    await send();
    expect(await sent()).toHaveLength(1);
  });

  it('must be subscribed explicitly, and writing a webhook back as shown does not add it', async () => {
    const shown = (await call('POST', '/v1/webhooks', { url: CLOSED })).body;
    expect([shown.all_events, shown.events]).toEqual([true, [...EVENT_TYPES]]);
    const same = await call('PATCH', `/v1/webhooks/${shown.id}`, { events: shown.events });
    expect([same.body.all_events, same.body.events]).toEqual([true, [...EVENT_TYPES]]);
    const more = [...EVENT_TYPES, 'audit_anchor'];
    const chosen = await call('PATCH', `/v1/webhooks/${shown.id}`, { events: more });
    expect([chosen.body.all_events, chosen.body.events]).toEqual([false, more]);
    await send();
    expect(await sent()).toHaveLength(1);
  });

  it('is in the list of event types, with its schema', async () => {
    const types = (await call('GET', '/v1/events/types')).body.items;
    expect(types.map(({ type }: { type: string }) => type)).toEqual([...EVENT_TYPES, 'audit_anchor', 'ping']);
  });

  it('is never sent if the interval is 0', async () => {
    await register(['audit_anchor']);
    const never = await startTestApp({
      ...NO_WORKERS,
      webhooks: { auditAnchorHours: 0 },
      testDatabase: app.database,
      orgId: app.orgId,
      time: app.clock,
    });
    try {
      expect(await send(never)).toBe(0);
      expect(await sent()).toEqual([]);
    } finally {
      await never.close();
    }
  });

  it.each([-1, 1.5, 8_761])('refuses an interval of %d hours at boot', async hours => {
    const started = startTestApp({ ...NO_WORKERS, webhooks: { auditAnchorHours: hours }, testDatabase: app.database });
    await expect(started).rejects.toThrow(
      'webhooks.auditAnchorHours: must be a whole number from 0 to 8760 (0: never)',
    );
  });
});

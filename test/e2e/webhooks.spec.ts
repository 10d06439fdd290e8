import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { OrgDatabase } from '#database';
import { DeadLetters, EVENT_TYPES, EventOutbox, PartitionUpkeep } from '#outbox';
import { serviceSignature } from '../../libs/webhooks/decide/index.js';
import { DeliveryJob } from '../../libs/webhooks/delivery/delivery.job.js';
import { answer } from '../support/endpoint-behaviours.js';
import type { Endpoint } from '../support/https-endpoint.js';
import type { Answer, Call, TestApp } from '../support/test-app.js';
import { fireEvents, registerWebhook, startWebhookStage, until, type WebhookStage } from '../support/webhooks.js';

const ALL = [...EVENT_TYPES];
const UNKNOWN = '00000000-0000-7000-8000-000000000000';

let stage: WebhookStage;
let app: TestApp;
let endpoint: Endpoint;
/** A separate organization for each test. */
let orgId: string;
let call: Call;

beforeAll(async () => {
  stage = await startWebhookStage();
  ({ app, endpoint } = stage);
});

afterAll(() => stage?.close());

beforeEach(async () => {
  ({ orgId, call } = await app.addOrganization());
  endpoint.behave('ok');
  endpoint.requests.length = 0;
});

const post = (body: unknown) => call('POST', '/v1/webhooks', body);
const register = (fields: object = {}) => registerWebhook(call, { url: endpoint.url, ...fields });
const get = async (id: string) => (await call('GET', `/v1/webhooks/${id}`)).body;
const patch = (id: string, body: unknown) => call('PATCH', `/v1/webhooks/${id}`, body);
const deliveries = async (id: string, query = '') =>
  (await call('GET', `/v1/webhooks/${id}/deliveries${query}`)).body.items as Answer['body'][];
const rotate = (id: string, body?: object) => call('POST', `/v1/webhooks/${id}/rotate-secret`, body);
const test = (id: string) => call('POST', `/v1/webhooks/${id}/test`);
const recover = (id: string, body: unknown) => call('POST', `/v1/webhooks/${id}/recover`, body);
const retry = (id: string, delivery: string) => call('POST', `/v1/webhooks/${id}/deliveries/${delivery}/retry`);

const ended = (id: string, count: number) =>
  until(async () => {
    const all = await deliveries(id, '?limit=100');
    return all.filter(delivery => !['pending', 'delivering'].includes(delivery.status)).length === count && all;
  });

function expectRefusal({ status, body }: Answer, field: string): void {
  expect({ status, body }).toMatchObject({ status: 400, body: { error: 'bad_request' } });
  expect(body.details.map((detail: { field: string }) => detail.field)).toContain(field);
}

/** Creates deliveries that look as if their last attempt had failed. Nothing is sent. */
async function failedDeliveries(webhook: { id: string }, count: number): Promise<void> {
  await patch(webhook.id, { enabled: false });
  await fireEvents(app, orgId, 'policy_violation', count);
  await app.database.asOwner(`update governance.webhook_deliveries set status = 'failed', attempts = 5,
    ended_at = created_at where webhook_id = '${webhook.id}' and status = 'pending'`);
  await app.database.asOwner(`delete from governance.tasks where key = '${webhook.id}'`);
  await patch(webhook.id, { enabled: true });
}

async function auditOf(resourceId: string): Promise<{ action: string; before: unknown; after: unknown }[]> {
  const { body } = await call('GET', '/v1/audit-log?limit=100');
  return body.items
    .filter((entry: { resource_id: string }) => entry.resource_id === resourceId)
    .map(({ action, before, after }: { action: string; before: unknown; after: unknown }) => ({
      action,
      before,
      after,
    }))
    .toReversed();
}

describe('registering a webhook', () => {
  it('answers with the webhook and its secret, which may not be cached', async () => {
    const { status, body, headers } = await post({ url: endpoint.url, events: ['budget_warning'], description: 'Ops' });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      id: expect.any(String),
      org_id: orgId,
      url: endpoint.url,
      events: ['budget_warning'],
      all_events: false,
      description: 'Ops',
      enabled: true,
      previous_secret_until: null,
      health: expect.objectContaining({ state: 'unknown', attempts: 0, success_rate: null, last_success_at: null }),
      created_at: app.clock.now().toISOString(),
      updated_at: app.clock.now().toISOString(),
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { signing_secret: _, ...shown } = body;
    expect(await get(body.id)).toEqual(shown);
    expect((await call('GET', '/v1/webhooks')).body.items).toEqual([shown]);
  });

  it('subscribes to every type if events are missing, null or empty', async () => {
    for (const fields of [{}, { events: null }, { events: [] }]) {
      expect(await register(fields)).toMatchObject({ events: ALL, all_events: true });
    }
  });

  it('stores a type once if it is named twice, and treats a list of all types as these types only', async () => {
    const webhook = await register({ events: ['device_revoked', 'budget_warning', 'device_revoked'] });
    expect(webhook.events).toEqual(['device_revoked', 'budget_warning']);
    expect(await register({ events: ALL })).toMatchObject({ events: ALL, all_events: false });
  });

  it('names each unknown type by index, and the known types', async () => {
    const refused = await post({ url: endpoint.url, events: ['budget_warning', 'ping', 7] });
    expectRefusal(refused, 'events[1]');
    expectRefusal(refused, 'events[2]');
    for (const type of ALL) expect(refused.body.message).toContain(type);
    expectRefusal(await post({ url: endpoint.url, events: 'budget_warning' }), 'events');
    expectRefusal(await post({ url: endpoint.url, events: Array(101).fill('budget_warning') }), 'events');
    const many = await post({ url: 7, events: ['nothing'] });
    expectRefusal(many, 'url');
    expectRefusal(many, 'events[0]');
  });

  it.each([
    ['plain HTTP', 'http://hooks.example.com/'],
    ['another scheme', 'ftp://hooks.example.com/'],
    ['a user name and password', 'https://me:pw@hooks.example.com/'],
    ['no host', 'https://'],
    ['white space around it', ' https://hooks.example.com/'],
    ['a line break inside', 'https://hooks.example.com/\n'],
    ['an invalid URL', 'hooks.example.com'],
    ['nothing', ''],
    ['null', null],
    ['a number', 7],
    ['2,049 characters', `https://hooks.example.com/${'a'.repeat(2_023)}`],
    ['an address of a private network', 'https://10.1.2.3/'],
    ['the address of cloud metadata', 'https://169.254.169.254/latest'],
    ['a private address in another notation', 'https://0x0a010203/'],
    ['an empty label in its host name', 'https://hooks..example.com/'],
    ['a label that is too long in its host name', `https://${'a'.repeat(64)}.example.com/`],
    ['a host name that is too long', `https://${'hooks.'.repeat(42)}de/`],
    ['port 0', 'https://hooks.example.com:0/'],
  ])('refuses a URL with %s', async (_title, url) => {
    expectRefusal(await post({ url }), 'url');
    const { id } = await register();
    expectRefusal(await patch(id, { url }), 'url');
    expect((await get(id)).url).toBe(endpoint.url);
  });

  it('shows the canonical URL, also after a change, and accepts it unchanged', async () => {
    const { id, url } = await register({ url: 'HTTPS://Bücher.Example.:443/a/../é' });
    expect(url).toBe('https://xn--bcher-kva.example/%C3%A9');
    expect((await patch(id, { url: 'https://HOOKS.example.com' })).body.url).toBe('https://hooks.example.com/');
    const shown = await get(id);
    expect((await patch(id, shown)).body).toEqual(shown);
  });

  it('accepts a URL of 2,048 characters and a description of 1,000, counted in code points', async () => {
    const url = `${endpoint.url}${'a'.repeat(2_048 - endpoint.url.length)}`;
    const description = '🦊'.repeat(1_000);
    expect(await register({ url, description })).toMatchObject({ url, description });
    expectRefusal(await post({ url: endpoint.url, description: `${description}x` }), 'description');
  });

  it('refuses unknown fields, and ignores read-only fields of a webhook', async () => {
    expectRefusal(await post({ url: endpoint.url, secret: 'x' }), 'secret');
    const first = await register({ events: ['budget_warning'] });
    const second = await register(first);
    expect(second.id).not.toBe(first.id);
    expect(second.signing_secret).not.toBe(first.signing_secret);
  });

  it('is refused with 409 after 200 webhooks, also for two concurrent requests', async () => {
    await app.database.asOwner(
      `insert into governance.webhooks (org_id, id, url, created_at, updated_at)
       select $1, gen_random_uuid(), 'https://hooks.example.com', now(), now() from generate_series(1, 199)`,
      [orgId],
    );
    const statuses = await Promise.all([1, 2, 3].map(async () => (await post({ url: endpoint.url })).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect((await post({ url: endpoint.url })).body.message).toContain('200');
    expect((await call('GET', '/v1/webhooks')).body.total_count).toBe(200);
  });
});

describe('changing a webhook', () => {
  it('changes only the supplied fields, and increases updated_at', async () => {
    const before = await register({ events: ['budget_warning'], description: 'Ops' });
    app.clock.advance(1_000);
    const { status, body } = await patch(before.id, { description: null });
    const { signing_secret: _, ...shown } = before;
    expect([status, body]).toEqual([200, { ...shown, description: null, updated_at: app.clock.now().toISOString() }]);
    expect((await patch(before.id, { events: null })).body).toMatchObject({ events: ALL, all_events: true });
    expect((await patch(before.id, { events: ['device_enrolled'] })).body).toMatchObject({
      events: ['device_enrolled'],
      all_events: false,
    });
  });

  it('changes nothing if a read webhook is written back, also if it subscribes to all types', async () => {
    for (const fields of [{}, { events: ['budget_warning'] }, { enabled: false }]) {
      const { signing_secret: _, ...webhook } = await register(fields);
      app.clock.advance(1_000);
      expect((await patch(webhook.id, webhook)).body).toEqual(webhook);
      expect(await auditOf(webhook.id)).toHaveLength(1);
    }
  });

  it('makes later deliveries go to the new URL', async () => {
    const { id } = await register();
    await patch(id, { url: `${endpoint.url}elsewhere` });
    await fireEvents(app, orgId);
    await endpoint.reach(endpoint.requestCount + 1);
    expect(endpoint.requests.map(({ path }) => path)).toEqual(['/elsewhere']);
  });

  it('has an audit entry with the values before and after, and never with the secret', async () => {
    const { id, signing_secret: secret } = await register({ events: ['budget_warning'] });
    await patch(id, { enabled: false });
    const rotated = (await rotate(id)).body.signing_secret;
    await call('DELETE', `/v1/webhooks/${id}`);
    const entries = await auditOf(id);
    expect(entries.map(({ action }) => action)).toEqual([
      ...['webhook.registered', 'webhook.updated', 'webhook.secret_rotated', 'webhook.deleted'],
    ]);
    expect(entries[1]).toMatchObject({ before: { enabled: true }, after: { enabled: false } });
    expect(entries[2]).toMatchObject({ before: { secret_version: 1 }, after: { secret_version: 2 } });
    const text = (await call('GET', '/v1/audit-log?limit=100')).text;
    for (const known of [secret, rotated]) expect(text).not.toContain(known.slice('whsec_'.length));
  });
});

describe('a paused webhook', () => {
  it('keeps deliveries waiting and sends them when it is resumed', async () => {
    const { id } = await register({ enabled: false });
    await fireEvents(app, orgId, 'budget_warning', 3);
    const waiting = await deliveries(id);
    expect(waiting).toHaveLength(3);
    for (const delivery of waiting) expect(delivery).toMatchObject({ status: 'pending', next_attempt_at: null });
    await new Promise(done => setTimeout(done, 200));
    expect(endpoint.requests).toHaveLength(0);
    await patch(id, { enabled: true });
    expect((await ended(id, 3)).map(({ status }) => status)).toEqual(Array(3).fill('delivered'));
  });

  it('cannot be tested', async () => {
    const { id } = await register({ enabled: false });
    expect(await test(id)).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(await deliveries(id)).toEqual([]);
  });

  it('also keeps retries waiting', async () => {
    const webhook = await register();
    await failedDeliveries(webhook, 1);
    await patch(webhook.id, { enabled: false });
    const [delivery] = await deliveries(webhook.id);
    expect((await retry(webhook.id, delivery.id)).body).toMatchObject({ status: 'pending', next_attempt_at: null });
    await patch(webhook.id, { enabled: true });
    expect(await ended(webhook.id, 1)).toMatchObject([{ status: 'delivered' }]);
  });
});

describe('deleting a webhook', () => {
  it('cancels waiting deliveries, deletes secrets and tasks, and the webhook is not found afterwards', async () => {
    const { id } = await register();
    await test(id);
    await ended(id, 1);
    endpoint.requests.length = 0;
    await patch(id, { enabled: false });
    await fireEvents(app, orgId, 'budget_warning', 2);
    const [delivery] = await deliveries(id);
    expect((await get(id)).health.attempts).toBe(1);
    expect((await call('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    const [left] = await app.database.asOwner(
      `select (select count(*) from governance.tasks where key = $1) as tasks,
        (select count(*) from governance.task_holds where key = $1) as holds,
        (select count(*) from governance.secrets where owner_id = $1::uuid) as secrets,
        (select count(*) from governance.webhook_hours where webhook_id = $1::uuid) as hours,
        (select count(*) from governance.webhook_deliveries
          where webhook_id = $1::uuid and status = 'cancelled' and ended_at is not null) as cancelled`,
      [id],
    );
    expect(left).toEqual({ tasks: '0', holds: '0', secrets: '0', hours: '0', cancelled: '2' });
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['POST', '/test'],
      ['POST', '/recover', { since: '2026-01-01T00:00:00Z' }],
      ['GET', '/deliveries'],
      ['GET', `/deliveries/${delivery.id}`],
      ['POST', `/deliveries/${delivery.id}/retry`],
    ] as [string, string, object?][]) {
      const { status } = await call(method, `/v1/webhooks/${id}${path}`, body);
      expect({ method, path, status }).toEqual({ method, path, status: 404 });
    }
    await fireEvents(app, orgId);
    expect(endpoint.requests).toHaveLength(0);
  });

  it('cancels pending retries', async () => {
    endpoint.behave(500);
    const { id } = await register();
    await fireEvents(app, orgId);
    await endpoint.reach(endpoint.requestCount + 1);
    await call('DELETE', `/v1/webhooks/${id}`);
    const count = endpoint.requestCount;
    await new Promise(done => setTimeout(done, 1_500));
    expect(endpoint.requestCount).toBe(count);
  });
});

describe('deleting a webhook while an event commits', () => {
  const rows = (table: string, column: string, id: string) =>
    app.database.asOwner<{ status?: string }>(`select * from governance.${table} where ${column} = $1`, [id]);

  it('leaves no waiting delivery', async () => {
    const { id } = await register();
    const [outbox, database] = [app.app.get(EventOutbox), app.app.get(OrgDatabase)];
    await database.transaction(orgId, async em => {
      await outbox.fire(em, orgId, [{ type: 'ping', data: {} }]);
      expect((await call('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    });
    await until(async () => (await rows('tasks', 'key', id)).length === 0);
    expect(await rows('webhook_deliveries', 'webhook_id', id)).toMatchObject([
      { status: 'cancelled', ended_at: expect.any(Date) },
    ]);
    expect(endpoint.requests).toHaveLength(0);
  });

  it('removes no task whose delivery it does not cancel', async () => {
    const { id } = await register({ enabled: false });
    await fireEvents(app, orgId);
    // Locks the rows like a worker that is about to write an outcome.
    const other = new pg.Client({ connectionString: app.database.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select from governance.tasks where key = $1 for update', [id]);
      const deleting = call('DELETE', `/v1/webhooks/${id}`);
      const waiters = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until(async () => (await app.database.asOwner(waiters)).length > 0);
      await fireEvents(app, orgId);
      await other.query('rollback');
      expect((await deleting).status).toBe(204);
    } finally {
      await other.end();
    }
    await until(async () => (await rows('tasks', 'key', id)).length === 0);
    const cancelled = { status: 'cancelled', ended_at: expect.any(Date) };
    expect(await rows('webhook_deliveries', 'webhook_id', id)).toMatchObject([cancelled, cancelled]);
    expect(endpoint.requests).toHaveLength(0);
  });
});

describe('rotating the secret', () => {
  const signatures = async () => {
    await fireEvents(app, orgId);
    const { body, headers } = await until(async () => endpoint.requests.shift());
    const signs = (secret: string, header: string) => headers[header] === serviceSignature(secret, body);
    return { signs, headers };
  };
  const [CURRENT, PREVIOUS] = ['x-service-signature', 'x-service-signature-previous'];

  it('signs with the new secret at once, and with the previous one until the overlap ends', async () => {
    const first = await register();
    const { status, body: second, headers } = await rotate(first.id, { overlap_hours: 2 });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(second.signing_secret).not.toBe(first.signing_secret);
    expect(second.previous_secret_until).toBe(new Date(app.clock.now().getTime() + 7_200_000).toISOString());
    const during = await signatures();
    expect(during.signs(second.signing_secret, CURRENT)).toBe(true);
    expect(during.signs(first.signing_secret, PREVIOUS)).toBe(true);
    app.clock.advance(7_200_000);
    try {
      const after = await signatures();
      expect(after.signs(second.signing_secret, CURRENT)).toBe(true);
      expect(after.headers).not.toHaveProperty(PREVIOUS);
      expect((await get(first.id)).previous_secret_until).toBeNull();
    } finally {
      app.clock.advance(-7_200_000);
    }
  });

  it('replaces the previous secret at a second rotation, and deletes it at once if no overlap is requested', async () => {
    const first = await register();
    const second = (await rotate(first.id)).body;
    const third = (await rotate(first.id)).body;
    const twice = await signatures();
    expect(twice.signs(third.signing_secret, CURRENT)).toBe(true);
    expect(twice.signs(second.signing_secret, PREVIOUS)).toBe(true);
    const fourth = (await rotate(first.id, { overlap_hours: 0 })).body;
    expect(fourth.previous_secret_until).toBeNull();
    const alone = await signatures();
    expect(alone.signs(fourth.signing_secret, CURRENT)).toBe(true);
    expect(alone.headers).not.toHaveProperty(PREVIOUS);
    const kept = await app.database.asOwner('select name from governance.secrets where owner_id = $1', [first.id]);
    expect(kept).toEqual([{ name: 'signing_secret' }]);
  });

  it('has an overlap of 24 hours by default and as the maximum', async () => {
    const { id } = await register();
    const day = new Date(app.clock.now().getTime() + 86_400_000).toISOString();
    for (const body of [undefined, {}, { overlap_hours: 24 }]) {
      expect((await rotate(id, body)).body.previous_secret_until).toBe(day);
    }
    for (const overlap_hours of [-1, 24.5, '2', null])
      expectRefusal(await rotate(id, { overlap_hours }), 'overlap_hours');
  });

  it('works even if the previous secret can no longer be decrypted', async () => {
    const { id } = await register();
    await app.database.asOwner(`update governance.secrets set ciphertext = ciphertext || '\\x00' where owner_id = $1`, [
      id,
    ]);
    const { status, body } = await rotate(id);
    expect(status).toBe(200);
    const { signs, headers } = await signatures();
    expect(signs(body.signing_secret, CURRENT)).toBe(true);
    expect(headers).not.toHaveProperty(PREVIOUS);
  });
});

describe('the log of deliveries', () => {
  const fetchOnce = async () => {
    const { id } = await register();
    await test(id);
    await until(async () => endpoint.requestCount % 2 === 0);
    await call('DELETE', `/v1/webhooks/${id}`);
    endpoint.requests.length = 0;
  };

  it('shows every attempt with the answer of the endpoint', async () => {
    endpoint.behave((_request, n) => (n % 2 === 1 ? answer(503, 'come back later') : answer(201, 'thanks')));
    // The script counts all requests since the endpoint's start. Makes that number even.
    if (endpoint.requestCount % 2 === 1) await fetchOnce();
    const { id } = await register();
    const [event] = await fireEvents(app, orgId);
    const [delivery] = await ended(id, 1);
    expect(delivery).toEqual({
      id: expect.any(String),
      webhook_id: id,
      event_id: event?.wireId,
      event_type: 'policy_violation',
      status: 'delivered',
      attempts: [
        attempt({ number: 1, http_status: 503, response_body: 'come back later' }),
        attempt({ number: 2, http_status: 201, response_body: 'thanks' }),
      ],
      next_attempt_at: null,
      created_at: app.clock.now().toISOString(),
    });
    expect((await call('GET', `/v1/webhooks/${id}/deliveries/${delivery.id}`)).body).toEqual(delivery);
    expect((await get(id)).health).toMatchObject({ state: 'healthy', attempts: 2, succeeded: 1, success_rate: 0.5 });
  });

  const attempt = (fields: object) => ({
    number: 1,
    trigger: 'schedule',
    started_at: app.clock.now().toISOString(),
    duration_ms: expect.any(Number),
    http_status: 200,
    response_body: 'ok',
    response_truncated: false,
    error: null,
    ...fields,
  });

  it('stores NUL and replaces invalid UTF-8', async () => {
    endpoint.behave(answer(200, Buffer.from([0x61, 0x00, 0xff, 0x62])));
    const { id } = await register();
    await fireEvents(app, orgId);
    const [delivery] = await ended(id, 1);
    expect(delivery.attempts).toEqual([attempt({ response_body: 'a\u0000\ufffdb' })]);
  });

  it('shows a missing answer as null, with the reason', async () => {
    const { id } = await register({ url: 'https://127.0.0.1:9/' });
    await fireEvents(app, orgId);
    const [delivery] = await until(async () => {
      const all = await deliveries(id);
      return all[0].attempts.length > 0 && all;
    });
    expect(delivery).toMatchObject({ status: 'pending', next_attempt_at: expect.any(String) });
    expect(delivery.attempts).toEqual([
      attempt({ http_status: null, response_body: null, error: expect.stringMatching(/^connect: /) }),
    ]);
    expect((await get(id)).health).toMatchObject({ state: 'failing', attempts: 1, succeeded: 0, success_rate: 0 });
    await call('DELETE', `/v1/webhooks/${id}`);
  });

  it('distinguishes a running attempt from a pending one, also in the filter', async () => {
    const { promise: isSeen, resolve: goOn } = Promise.withResolvers<void>();
    endpoint.behave({ act: ({ response }) => void isSeen.then(() => response.writeHead(200).end()) });
    const { id } = await register();
    await fireEvents(app, orgId);
    const [delivery] = await until(async () => {
      const all = await deliveries(id);
      return all[0]?.status === 'delivering' && all;
    });
    expect(delivery).toMatchObject({ next_attempt_at: null, attempts: [] });
    expect((await deliveries(id, '?status=delivering')).map(({ id }) => id)).toEqual([delivery.id]);
    for (const other of ['pending', 'delivered', 'failed', 'cancelled']) {
      expect({ other, found: await deliveries(id, `?status=${other}`) }).toEqual({ other, found: [] });
    }
    goOn();
    await call('DELETE', `/v1/webhooks/${id}`);
  });

  it('shows an aborted attempt once, however often its task is loaded, and each aborted one', async () => {
    const { id } = await register({ enabled: false });
    await fireEvents(app, orgId);
    const [delivery] = await deliveries(id);
    const payload = { event_id: delivery.event_id.replace('evt_', '') };
    const claim = {
      orgId,
      id: delivery.id as string,
      key: id as string,
      payload,
      dueAt: delivery.created_at as string,
    };
    const load = (interruptions: number, attempt = 1) => {
      const interruptedAt = new Date(Date.UTC(2026, 10, 20, 13, 0, interruptions));
      const task = { ...claim, attempt, interruptions, interruptedAt, leaseToken: randomUUID() };
      return app.app.get(OrgDatabase).transaction(orgId, em => app.app.get(DeliveryJob).load(em, orgId, [task]));
    };
    for (const [interruptions, attempt] of [[1], [1], [2], [2], [1, 2]] as const) await load(interruptions, attempt);
    const [{ attempts }] = (await deliveries(id)) as [Answer['body']];
    expect(
      attempts.map((attempt: { number: number; started_at: string }) => [attempt.number, attempt.started_at]),
    ).toEqual([
      [1, '2026-11-20T13:00:01.000Z'],
      [1, '2026-11-20T13:00:02.000Z'],
      [2, '2026-11-20T13:00:01.000Z'],
    ]);
  });

  it('is filtered by status and type, with the count of matches', async () => {
    const webhook = await register();
    await failedDeliveries(webhook, 2);
    await fireEvents(app, orgId, 'budget_warning', 3);
    await ended(webhook.id, 5);
    await patch(webhook.id, { enabled: false });
    await fireEvents(app, orgId, 'device_revoked', 4);
    const found = async (query: string) => {
      const { body } = await call('GET', `/v1/webhooks/${webhook.id}/deliveries?${query}`);
      return [body.items.length, body.total_count];
    };
    expect(await found('')).toEqual([9, 9]);
    expect(await found('status=failed')).toEqual([2, 2]);
    expect(await found('status=delivered')).toEqual([3, 3]);
    expect(await found('status=pending')).toEqual([4, 4]);
    expect(await found('status=delivering')).toEqual([0, 0]);
    expect(await found('event_type=budget_warning')).toEqual([3, 3]);
    expect(await found('event_type=budget_warning&status=failed')).toEqual([0, 0]);
    const list = `/v1/webhooks/${webhook.id}/deliveries`;
    expectRefusal(await call('GET', `${list}?status=broken`), 'status');
    expectRefusal(await call('GET', `${list}?event_type=broken`), 'event_type');
  });

  it('shows the latest ten attempts of each delivery in the list, and all of them for one delivery', async () => {
    const webhook = await register();
    await failedDeliveries(webhook, 1);
    const [delivery] = await deliveries(webhook.id);
    await app.database.asOwner(
      `insert into governance.webhook_attempts (org_id, id, delivery_id, webhook_id, number, trigger, started_at)
       select $1, (left($2::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, $2::uuid, $3, n, 'schedule', now()
       from generate_series(1, 12) n`,
      [orgId, delivery.id, webhook.id],
    );
    const numbers = (of: Answer['body']) => of.attempts.map(({ number }: { number: number }) => number);
    expect(numbers((await deliveries(webhook.id))[0])).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    const { body } = await call('GET', `/v1/webhooks/${webhook.id}/deliveries/${delivery.id}`);
    expect(numbers(body)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });
});

describe('requests and answers of deliveries', () => {
  it('are shown with body and headers of each attempt, without cookies and secrets', async () => {
    const webhook = await register();
    const echoed = { 'x-echo': webhook.signing_secret, 'set-cookie': 'session=abc', 'x-region': 'eu' };
    endpoint.behave(answer(200, 'ok', echoed));
    await fireEvents(app, orgId, 'budget_warning', 1);
    const [delivery] = await ended(webhook.id, 1);
    const { status, body, text } = await call('GET', `/v1/deliveries/${delivery.id}`);
    expect({ status, id: body.id, attempts: body.attempts.length }).toEqual({
      status: 200,
      id: delivery.id,
      attempts: 1,
    });
    const [{ headers, body: received }] = endpoint.requests as [(typeof endpoint.requests)[number]];
    expect(body.request_body).toBe(received.toString());
    const [attempt] = body.attempts;
    const names = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
    for (const name of names) expect(attempt.request_headers[name]).toBe(headers[name]);
    expect(attempt.request_headers['X-Service-Signature']).toBe(headers['x-service-signature']);
    expect(attempt.response_headers).toMatchObject({
      'x-region': 'eu',
      'set-cookie': '[hidden]',
      'x-echo': expect.stringContaining('[hidden]'),
    });
    expect(text).not.toContain(webhook.signing_secret.slice(6));
    const other = await app.addOrganization();
    expect((await other.call('GET', `/v1/deliveries/${delivery.id}`)).status).toBe(404);
  });
});

describe('the health by the hour', () => {
  it('counts successes and failures, with the duration of attempts, and shows hours without attempts', async () => {
    const webhook = await register();
    await fireEvents(app, orgId, 'budget_warning', 3);
    await ended(webhook.id, 3);
    endpoint.behave(410);
    await fireEvents(app, orgId, 'budget_warning', 1);
    await until(async () => (await get(webhook.id)).health.attempts === 4);
    const { status, body } = await call('GET', `/v1/webhooks/${webhook.id}/health?hours=3`);
    expect({ status, time_zone: body.time_zone, hours: body.hours.length }).toEqual({
      status: 200,
      time_zone: 'UTC',
      hours: 3,
    });
    const sum = (name: string) => body.hours.reduce((total: number, hour: Answer['body']) => total + hour[name], 0);
    expect([sum('delivered'), sum('failed'), sum('timeouts')]).toEqual([3, 1, 0]);
    const busy = body.hours.find((hour: Answer['body']) => hour.delivered > 0);
    expect(busy.p95_ms).toBeGreaterThanOrEqual(busy.p50_ms);
    expect(busy.p50_ms).toBeGreaterThan(0);
    expect(body.hours[0]).toMatchObject({ delivered: 0, failed: 0, p50_ms: null, p95_ms: null });
    for (const hours of ['0', '721', 'x']) {
      expectRefusal(await call('GET', `/v1/webhooks/${webhook.id}/health?hours=${hours}`), 'hours');
    }
    const other = await app.addOrganization();
    expect((await other.call('GET', `/v1/webhooks/${webhook.id}/health`)).status).toBe(404);
    // Deletes the webhook. Otherwise its failed delivery would be retried when a later test advances the clock.
    expect((await call('DELETE', `/v1/webhooks/${webhook.id}`)).status).toBe(204);
  });
});

describe('retrying a delivery', () => {
  it('makes one more attempt, whose failure fails the delivery again', async () => {
    endpoint.behave(500);
    const webhook = await register();
    await failedDeliveries(webhook, 1);
    const [delivery] = await deliveries(webhook.id);
    const { status, body } = await retry(webhook.id, delivery.id);
    expect([status, body]).toMatchObject([
      202,
      { id: delivery.id, status: expect.stringMatching(/pending|delivering/) },
    ]);
    expect(await ended(webhook.id, 1)).toMatchObject([
      { status: 'failed', attempts: [{ number: 6, trigger: 'manual', http_status: 500 }] },
    ]);
    endpoint.behave('ok');
    await retry(webhook.id, delivery.id);
    await until(async () => (await deliveries(webhook.id))[0].status === 'delivered');
    expect(endpoint.requests.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(delivery.event_id));
    expect((await auditOf(delivery.id)).map(({ action }) => action)).toEqual(Array(2).fill('webhook_delivery.retried'));
  });

  it('is refused with the reason while it has not failed', async () => {
    const { id } = await register();
    await fireEvents(app, orgId);
    const [delivered] = await ended(id, 1);
    expect(await retry(id, delivered.id)).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect((await retry(id, delivered.id)).body.message).toContain('accepted');
    await patch(id, { enabled: false });
    await fireEvents(app, orgId);
    const [pending] = await deliveries(id, '?status=pending');
    expect((await retry(id, pending.id)).body.message).toContain('waits');
  });

  it('is refused to the second of two concurrent requests', async () => {
    const webhook = await register();
    await failedDeliveries(webhook, 1);
    const [delivery] = await deliveries(webhook.id);
    const statuses = await Promise.all([1, 2, 3].map(async () => (await retry(webhook.id, delivery.id)).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 409, 409]);
    await ended(webhook.id, 1);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('is limited to a hundred attempts', async () => {
    const webhook = await register();
    await failedDeliveries(webhook, 1);
    await app.database.asOwner(`update governance.webhook_deliveries set attempts = 100 where webhook_id = $1`, [
      webhook.id,
    ]);
    const [delivery] = await deliveries(webhook.id);
    expect((await retry(webhook.id, delivery.id)).body.message).toContain('100');
    expect((await recover(webhook.id, { since: '2026-01-01T00:00:00Z' })).body.deliveries).toBe(0);
  });

  it('is 404 for a delivery of another webhook, and for an invalid id', async () => {
    const webhook = await register();
    await failedDeliveries(webhook, 1);
    const [delivery] = await deliveries(webhook.id);
    const other = await register();
    for (const path of [`${other.id}/deliveries/${delivery.id}`, `${webhook.id}/deliveries/${UNKNOWN}`]) {
      expect((await call('GET', `/v1/webhooks/${path}`)).status).toBe(404);
      expect((await call('POST', `/v1/webhooks/${path}/retry`)).status).toBe(404);
    }
    expect((await call('GET', `/v1/webhooks/${webhook.id}/deliveries/${delivery.event_id}`)).status).toBe(404);
    expect((await call('GET', '/v1/webhooks/nonsense/deliveries')).status).toBe(404);
  });
});

describe('a delivery that was dead-lettered by a fault of ours', () => {
  it('makes its next attempt when dead-lettered tasks are requeued', async () => {
    const { id } = await register({ enabled: false });
    await fireEvents(app, orgId);
    await app.database.asOwner(`update governance.webhook_deliveries set status = 'failed', ended_at = now()
      where webhook_id = '${id}'`);
    await app.database.asOwner(`update governance.tasks set quarantined_at = now(), faults = 5, attempt = 2
      where key = '${id}'`);
    const aside = app.app.get(DeadLetters);
    expect(await aside.retry('listener')).toEqual({});
    expect((await deliveries(id))[0].status).toBe('failed');
    expect(await aside.retry('webhook')).toEqual({ webhook: 1 });
    expect((await deliveries(id))[0].status).toBe('pending');
    await patch(id, { enabled: true });
    expect(await ended(id, 1)).toMatchObject([
      { status: 'delivered', attempts: [{ number: 2, trigger: 'schedule', http_status: 200 }] },
    ]);
  });
});

describe('recovering', () => {
  it('retries all deliveries that have failed since a time, whatever their number', async () => {
    const webhook = await register();
    await failedDeliveries(webhook, 1);
    app.clock.advance(60_000);
    const since = app.clock.now().toISOString();
    await failedDeliveries(webhook, 1_201);
    app.clock.advance(1_000);
    const { status, body } = await recover(webhook.id, { since });
    expect([status, body]).toEqual([
      202,
      { webhook_id: webhook.id, since, until: app.clock.now().toISOString(), deliveries: 1_201 },
    ]);
    const count = async (state: string) =>
      (await call('GET', `/v1/webhooks/${webhook.id}/deliveries?limit=1&status=${state}`)).body.total_count;
    await until(async () => (await count('delivered')) === 1_201, 30_000);
    expect(await count('failed')).toBe(1);
    expect(new Set(endpoint.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1_201);
    expect(endpoint.requests).toHaveLength(1_201);
    expect((await deliveries(webhook.id, '?status=delivered&limit=1'))[0].attempts).toMatchObject([
      { number: 6, trigger: 'recovery', http_status: 200 },
    ]);
    const left = await app.database.asOwner('select 1 from governance.tasks where key = $1', [webhook.id]);
    expect(left).toEqual([]);
    expect((await auditOf(webhook.id)).at(-1)).toMatchObject({ action: 'webhook.recovery_begun' });
  });

  it('retries a delivery once, even if it fails again', async () => {
    endpoint.behave(500);
    const webhook = await register();
    await failedDeliveries(webhook, 3);
    app.clock.advance(1);
    await recover(webhook.id, { since: '2026-01-01T00:00:00Z' });
    const all = await until(async () => {
      const found = await deliveries(webhook.id);
      return found.every(({ status, attempts }) => status === 'failed' && attempts.length === 1) && found;
    });
    await new Promise(done => setTimeout(done, 300));
    expect(await deliveries(webhook.id)).toEqual(all);
    expect(endpoint.requests).toHaveLength(3);
  });

  it('needs a time in the past', async () => {
    const { id } = await register();
    const now = app.clock.now().toISOString();
    for (const body of [{}, { since: null }, { since: 'yesterday' }, { since: '2026-11-20' }, { since: now }]) {
      expectRefusal(await recover(id, body), 'since');
    }
  });
});

describe('testing a webhook', () => {
  it('sends a ping whatever the subscriptions are, and shows it in the log', async () => {
    const { id, signing_secret: secret } = await register({ events: ['budget_warning'] });
    const { status, body } = await test(id);
    expect(status).toBe(202);
    expect(body).toMatchObject({ webhook_id: id, event_type: 'ping', event_id: expect.stringMatching(/^evt_test_/) });
    const [delivery] = await ended(id, 1);
    expect(delivery).toMatchObject({ id: body.id, status: 'delivered', attempts: [{ trigger: 'schedule' }] });
    const [request] = endpoint.requests;
    expect(request?.headers['x-service-signature']).toBe(serviceSignature(secret, request!.body));
    expect(await deliveries(id, '?event_type=ping')).toHaveLength(1);
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'webhook.tested', after: { delivery_id: body.id } });
  });

  it('sends to one webhook only', async () => {
    const [one, other] = [await register(), await register()];
    await test(one.id);
    await ended(one.id, 1);
    expect(await deliveries(other.id)).toEqual([]);
  });

  it('is refused with 429 after ten pings within a minute, also concurrent ones, until the first ping is a minute old', async () => {
    const { id } = await register();
    const other = await register();
    const answers = await Promise.all(Array.from({ length: 12 }, () => test(id)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(10).fill(202), 429, 429]);
    app.clock.advance(20_000);
    const refused = await test(id);
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(refused.headers.get('ratelimit')).toBe('"ping";r=0;t=40');
    expect(refused.headers.get('ratelimit-policy')).toBe('"ping";q=10;w=60');
    expect((await test(other.id)).status).toBe(202);
    app.clock.advance(40_000);
    expect((await test(id)).status).toBe(202);
  });
});

describe('health', () => {
  it('counts the last 24 hours, and stores the last success and failure', async () => {
    const { id } = await register();
    await test(id);
    await ended(id, 1);
    const success = app.clock.now().toISOString();
    app.clock.advance(3_600_000);
    endpoint.behave(500);
    await test(id);
    await until(async () => (await get(id)).health.attempts === 2);
    const failure = app.clock.now().toISOString();
    expect((await get(id)).health).toMatchObject({
      ...{ state: 'failing', attempts: 2, succeeded: 1, timeouts: 0, success_rate: 0.5 },
      ...{ last_success_at: success, last_failure_at: failure, average_duration_ms: expect.any(Number) },
    });
    await patch(id, { enabled: false });
    app.clock.advance(25 * 3_600_000);
    expect((await get(id)).health).toMatchObject({ attempts: 0, success_rate: null, last_success_at: success });
    await call('DELETE', `/v1/webhooks/${id}`);
  });

  it('keeps its figures as long as the log, for every organization', async () => {
    const organizations = [await app.addOrganization(), await app.addOrganization()];
    for (const { orgId: org } of organizations) {
      await app.database.asOwner(
        `insert into governance.webhook_hours (org_id, webhook_id, hour)
         select $1, gen_random_uuid(), date_trunc('day', now(), 'UTC') - days * interval '1 day' - before * interval '1 hour'
         from (values (0, 0), (30, 0), (30, 1), (31, 0)) as h (days, before)`,
        [org],
      );
    }
    await app.app.get(PartitionUpkeep).keep();
    for (const { orgId: org } of organizations) {
      const sql = `select extract(day from now() - hour)::int as days from governance.webhook_hours where org_id = $1`;
      expect(await app.database.asOwner(`${sql} order by 1`, [org])).toEqual([{ days: 0 }, { days: 30 }]);
    }
  });
});

describe('an operation without a body', () => {
  it('accepts no body or an empty object, and refuses any other body with the names of its fields', async () => {
    const webhook = await register();
    await failedDeliveries(webhook, 1);
    const [delivery] = await deliveries(webhook.id);
    for (const path of ['test', `deliveries/${delivery.id}/retry`]) {
      const send = (body?: unknown) => call('POST', `/v1/webhooks/${webhook.id}/${path}`, body);
      expectRefusal(await send({ event_type: 'budget_warning' }), 'event_type');
      expectRefusal(await send([]), 'body');
      expect((await send({})).status).toBe(202);
    }
  });
});

describe('access to webhooks', () => {
  const routes = (id: string, delivery: string): [string, string, object?][] => [
    ['GET', '/v1/webhooks'],
    ['POST', '/v1/webhooks', { url: endpoint.url }],
    ['GET', `/v1/webhooks/${id}`],
    ['PATCH', `/v1/webhooks/${id}`, { description: 'x' }],
    ['GET', `/v1/webhooks/${id}/deliveries`],
    ['GET', `/v1/webhooks/${id}/deliveries/${delivery}`],
    ['POST', `/v1/webhooks/${id}/deliveries/${delivery}/retry`],
    ['POST', `/v1/webhooks/${id}/recover`, { since: '2026-01-01T00:00:00Z' }],
    ['POST', `/v1/webhooks/${id}/rotate-secret`],
    ['POST', `/v1/webhooks/${id}/test`],
    ['GET', '/v1/events/types'],
    ['DELETE', `/v1/webhooks/${id}`],
  ];
  const isOfOne = ([, path]: [string, string, object?]) => path.startsWith('/v1/webhooks/');

  it('allows auditors to read, and agents and members nothing', async () => {
    const { id } = await registerWebhook(app.call, { url: endpoint.url });
    const [auditor, agent, member] = [
      await app.addToken('auditor'),
      await app.addToken('agent'),
      await app.addToken('member'),
    ];
    for (const [method, path, body] of routes(id, UNKNOWN)) {
      const { status } = await auditor.call(method, path, body);
      const forbidden = method !== 'GET';
      expect({ method, path, forbidden: status === 403 }).toEqual({ method, path, forbidden });
      for (const { call: as } of [agent, member]) expect((await as(method, path, body)).status).toBe(403);
      expect((await app.as(null)(method, path, body)).status).toBe(401);
    }
  });

  it('is 404 from another organization, exactly as for an unknown webhook', async () => {
    const webhook = await register();
    await failedDeliveries(webhook, 1);
    const [delivery] = await deliveries(webhook.id);
    const { call: intruder } = await app.addOrganization();
    for (const [method, path, body] of routes(webhook.id, delivery.id).filter(isOfOne)) {
      const found = await intruder(method, path, body);
      const missing = await intruder(method, path.replace(webhook.id, UNKNOWN), body);
      expect({ method, path, status: found.status }).toEqual({ method, path, status: 404 });
      expect(found.body.message.replace(webhook.id, UNKNOWN)).toBe(missing.body.message);
    }
    expect((await intruder('GET', '/v1/webhooks')).body.items).toEqual([]);
    expect((await deliveries(webhook.id))[0]).toEqual(delivery);
  });
});

describe('GET /v1/events/types', () => {
  it('refuses unknown parameters', async () => {
    expectRefusal(await call('GET', '/v1/events/types?type=ping'), 'type');
    expectRefusal(await call('GET', '/v1/events/types?limit=2'), 'limit');
  });

  it('shows every type with its schema and an example, on one page', async () => {
    const { status, body } = await call('GET', '/v1/events/types');
    expect(status).toBe(200);
    expect(body).toMatchObject({ next_cursor: null, has_more: false, total_count: 10 });
    expect(body.items.map(({ type }: { type: string }) => type)).toEqual([...ALL, 'audit_anchor', 'ping']);
    for (const item of body.items) {
      expect(item).toEqual({
        type: expect.any(String),
        description: expect.any(String),
        schema: expect.objectContaining({ type: 'object' }),
        example: expect.objectContaining({ type: item.type, data: expect.any(Object) }),
      });
    }
  });
});

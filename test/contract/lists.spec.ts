import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { enroll } from '../e2e/devices/devices.support.js';
import { report, usageEvent } from '../e2e/usage.support.js';
import { putSession } from '../support/put-session.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { fireEvents, LOOPBACK_ALLOWED, registerWebhook } from '../support/webhooks.js';
import {
  create,
  createPolicy,
  createUser,
  decide,
  expectError,
  expectLimits,
  operationsOf,
  UNKNOWN,
  walk,
  withoutLastUse,
} from './contract.support.js';

const ROWS = 26;
const HOUR_MS = 60 * 60 * 1000;
/** Lists that never change and fit on one page. They take neither limit nor cursor. */
const FIXED_LISTS = ['/v1/events/types', '/v1/itsm/kinds'];

/** A budget that reserves an amount for every decision. */
const ROOM_FOR_ALL = {
  name: 'Room for all',
  scope: 'organization',
  amount_usd: 1_000_000,
  period: 'monthly',
  enforcement: 'block',
};

let app: TestApp;
/** An organization in which every list has at least 26 rows. */
let call: Call;
/** Id of the webhook with ROWS deliveries. */
let webhook: string;
/** Id of the incident with ROWS notes. */
let incident: string;
/** Id of the policy with ROWS versions. */
let policy: string;
let budget: string;
let limit: string;
/** Paths of all lists. */
let lists: string[];

// Disabled, so that nothing is sent and the delivery log does not change.
const paused = async (as: Call): Promise<string> =>
  (await registerWebhook(as, { url: 'https://127.0.0.1:9/', enabled: false })).id;

/** Inactive, so that nothing is sent. */
const desk = (as: Call, name: string) =>
  create(as, '/v1/itsm/connectors', {
    ...{ kind: 'servicenow', name, active: false, settings: { instance_url: 'https://127.0.0.1:9' } },
    secrets: { username: 'somebody', password: 'a password' },
  });

beforeAll(async () => {
  app = await startTestApp(LOOPBACK_ALLOWED);
  const organization = await app.addOrganization();
  ({ call } = organization);
  policy = (await createPolicy(call, { name: 'Ask first', action: 'require_approval', model: 'ask-first' })).id;
  budget = await splitBudget(call);
  limit = await splitLimit(call);
  for (let at = 0; at < ROWS; at++) {
    await createPolicy(call, { name: `Policy ${at}`, action: 'alert' });
    const { id } = await createUser(call, `user-${at}`);
    await create(call, '/v1/tokens', { name: `Token ${at}`, role: 'auditor' });
    const price = { provider: 'acme', model: `acme-${at}`, input_per_million_usd: 1, output_per_million_usd: 2 };
    await call('PUT', '/v1/prices', price);
    await call('PUT', '/v1/exchange-rates', {
      currency: 'EUR',
      date: new Date(Date.UTC(2026, 8, 1 + at)).toISOString().slice(0, 10),
      rate: '0.9',
    });
    await call('PUT', '/v1/discounts', { model: `acme-${at}`, percent_off: at });
    const limits = { scope: 'user', user_id: id, amount_usd: 9, period: 'daily', enforcement: 'notify' };
    await create(call, '/v1/budgets', { name: `Budget ${at}`, ...limits });
    await report(call, usageEvent({ user_id: id }), usageEvent({ user_id: id, model: `unheard-of-${at}` }));
    if (at === 0) await create(call, '/v1/budgets', ROOM_FOR_ALL);
    await decide(call, id);
    await decide(call, id, 'ask-first');
    await enroll(app, id, { call });
    await registerWebhook(call, { url: 'https://127.0.0.1:9/', enabled: false, events: ['audit_anchor'] });
    const workspace = `T${String(at).padStart(9, '0')}`;
    await create(call, '/v1/chat/workspaces', { platform: 'slack', workspace, signing_secret: 'x'.repeat(32) });
    const account = { platform: 'slack', workspace, account: 'U0LISTS', user_id: id };
    await create(call, '/v1/chat/links', account);
    await desk(call, `Desk ${at}`);
    const provider = { kind: 'openai_compatible', base_url: 'https://127.0.0.1:9' };
    await call('PUT', `/v1/gateway/providers/provider-${at}`, provider);
    await putSession(app, organization.orgId);
  }

  incident = await someIncident(call);
  for (let at = 0; at < ROWS; at++) {
    await call('PATCH', `/v1/incidents/${incident}`, { note: `Note ${at}` });
    await call('PUT', `/v1/policies/${policy}`, { description: `Description ${at}` });
  }
  webhook = await paused(call);
  await fireEvents(app, organization.orgId, 'device_enrolled', ROWS);
  // Tickets are in a final state, so that no worker changes them while the list is read.
  await app.database.asOwner(
    `insert into governance.tickets (org_id, id, connector_id, kind, origin, draft, sync_state, created_at, updated_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'servicenow', 'test', '{"title": "A test", "severity": "low"}',
       'rejected', n.at, n.at
     from generate_series(timestamptz '2026-11-01', '2026-11-26', interval '1 day') n (at)`,
    [organization.orgId],
  );
  await app.database.asOwner(
    `insert into governance.limits (org_id, id, name, scope, requests_per_minute, created_at, updated_at)
     select $1, gen_random_uuid(), 'Limit', 'organization', 1000000, n.at, n.at
     from generate_series(timestamptz '2026-11-01', '2026-11-26', interval '1 day') n (at)`,
    [organization.orgId],
  );
  await app.database.asOwner(
    `insert into governance.budget_windows (org_id, budget_id, window_start, window_end, part)
     select $1, $2, n.at, n.at + interval '1 year', ''
     from generate_series(timestamptz '1999-01-01', '2024-01-01', interval '1 year') n (at)`,
    [organization.orgId, budget],
  );
  // Policy hits of earlier days, in addition to those of the decisions above.
  await app.database.asOwner(
    `insert into governance.policy_hits (org_id, policy_id, quarter, hits, decided, refused, last_at)
     select $1, $2, n.at, 1, 1, 1, n.at
     from generate_series(timestamptz '2026-10-01', '2026-10-26', interval '1 day') n (at)`,
    [organization.orgId, policy],
  );
  // In production, a sign-in at an identity provider links an account.
  await app.database.asOwner(
    `insert into governance.identities (org_id, id, issuer, subject, user_id, linked_at)
     select $1, gen_random_uuid(), 'https://idp.example.com', 'account-' || n, gen_random_uuid(), now()
     from generate_series(1, $2::int) n`,
    [organization.orgId, ROWS],
  );
  // In production, the detector creates these rows from unusual usage.
  await app.database.asOwner(
    `insert into governance.anomalies (org_id, id, detected_at, kind, severity, metric, rule, observed, expected_low,
       expected_high, window_start, window_end, history_days, strength, series, incident_id)
     select $1, gen_random_uuid(), now(), 'usage_spike', 'medium', 'requests', 'total', n, 0, 1, now(), now(), 14, 2, '[]',
       gen_random_uuid()
     from generate_series(1, $2::int) n`,
    [organization.orgId, ROWS],
  );
  // Inserted by SQL: only one re-rating runs at a time, and each takes a while.
  await app.database.asOwner(
    `insert into governance.usage_reratings (org_id, id, status, start_date, end_date, created_at, finished_at)
     select $1, gen_random_uuid(), 'done', '2026-11-01', '2026-11-02', n.at, n.at
     from generate_series(timestamptz '2026-11-01', '2026-11-26', interval '1 day') n (at)`,
    [organization.orgId],
  );
  // Every operation that takes a limit is a list.
  lists = operationsOf(app)
    .filter(({ method, query }) => method === 'GET' && query.has('limit'))
    .map(({ path }) => ofMine(path));
  // Decisions are recorded after the answer.
  for (let attempt = 0; attempt < 100 && (await totalOf('/v1/decisions')) < ROWS; attempt++) {
    await new Promise(done => setTimeout(done, 50));
  }
});

afterAll(() => app.close());

const page = async (path: string, query: string) => (await call('GET', `${path}?${query}`)).body;
/** The same lists of another organization, with its own webhook and incident. */
async function listsOf(as: Call): Promise<(path: string) => string> {
  const { id } = await createPolicy(as);
  await decide(as, (await createUser(as, 'somebody')).id);
  const theirs = {
    webhook: await paused(as),
    incident: await someIncident(as),
    budget: await splitBudget(as),
    limit: await splitLimit(as),
  };
  return path =>
    path
      .replace(webhook, theirs.webhook)
      .replace(incident, theirs.incident)
      .replace(policy, id)
      .replace(budget, theirs.budget)
      .replace(limit, theirs.limit);
}
async function splitLimit(as: Call): Promise<string> {
  const each = { name: 'Each', scope: { model: 'gpt*' }, split_by: 'user', requests_per_minute: 1_000_000 };
  return (await create(as, '/v1/limits', each)).id;
}
async function splitBudget(as: Call): Promise<string> {
  const each = { name: 'Each', scope: 'organization', split_by: 'user', amount_usd: 1, period: 'yearly' };
  return (await create(as, '/v1/budgets', { ...each, enforcement: 'notify' })).id;
}
/** The path of a list below a resource, with the id of the resource that has many rows. */
function ofMine(path: string): string {
  const [, , kind = ''] = path.split('/');
  return path.replace(
    UNKNOWN,
    { incidents: incident, policies: policy, budgets: budget, limits: limit }[kind] ?? webhook,
  );
}
const someIncident = async (as: Call): Promise<string> => (await as('GET', '/v1/incidents?limit=1')).body.items[0].id;
const totalOf = async (path: string): Promise<number> => (await page(path, 'limit=1')).total_count;
const after = (path: string, cursor: string, as: Call = call) =>
  as('GET', `${path}?limit=2&cursor=${encodeURIComponent(cursor)}`);

describe('a page of a list', () => {
  it('spec 2.5: every list has items, next_cursor and has_more', async () => {
    expect(lists).toEqual(expect.arrayContaining(['/v1/policies', '/v1/usage', '/v1/users']));
    const empty = await app.addOrganization();
    const theirs = await listsOf(empty.call);
    for (const path of [...lists, ...FIXED_LISTS]) {
      for (const answer of [call('GET', path), empty.call('GET', theirs(path))]) {
        const { status, body } = await answer;
        expect(status).toBe(200);
        expect({ path, body }).toEqual({
          path,
          body: {
            items: expect.any(Array),
            next_cursor: body.has_more ? expect.any(String) : null,
            has_more: expect.any(Boolean),
            total_count: expect.any(Number),
          },
        });
      }
    }
    const others = operationsOf(app).filter(({ method, query }) => method === 'GET' && !query.has('limit'));
    for (const { path } of others.filter(({ path }) => !FIXED_LISTS.includes(path))) {
      expect({ path, items: (await call('GET', path)).body?.items }).toEqual({ path, items: undefined });
    }
  });

  it('spec 2.5: next_cursor is a text and has_more true while more results follow', async () => {
    for (const path of lists) {
      const whole = withoutLastUse((await walk(call, path, 100)).flat());
      // One row less than the list has, or the maximum size of a page.
      const limit = Math.min(whole.length - 1, 100);
      const body = await page(path, `limit=${limit}`);
      expect({ path, body }).toMatchObject({ path, body: { next_cursor: expect.any(String), has_more: true } });
      expect(withoutLastUse(body.items)).toEqual(whole.slice(0, limit));
      const next = (await after(path, body.next_cursor)).body.items;
      expect(withoutLastUse(next)).toEqual(whole.slice(limit, limit + 2));
    }
  });

  it('spec 2.5: next_cursor is null and has_more false on the last page', async () => {
    for (const path of lists) {
      const total = await totalOf(path);
      // The last page is full, so it must not have a cursor to an empty page.
      if (total <= 100)
        expect(await page(path, `limit=${total}`)).toMatchObject({ next_cursor: null, has_more: false });
      const pages = await walk(call, path, 25);
      expect(pages.flat()).toHaveLength(total);
      expect(pages.at(-1)).not.toEqual([]);
    }
  });

  it('spec 2.5: total_count counts the matching items', async () => {
    for (const path of lists) {
      const first = await page(path, 'limit=2');
      expect(first.total_count).toBe((await walk(call, path, 100)).flat().length);
      expect((await after(path, first.next_cursor)).body.total_count).toBe(first.total_count);
    }
    await createUser(call, 'only', { department: 'Only' });
    expect((await page('/v1/users', 'department=Only')).total_count).toBe(1);
    expect((await page('/v1/users', 'department=None')).total_count).toBe(0);
  });
});

describe('a cursor', () => {
  it('spec 2.5: cursors are opaque and short-lived', async () => {
    for (const path of lists) {
      const { next_cursor: cursor, items } = await page(path, 'limit=2');
      // Neither the raw cursor nor the decoded one shows values of the last row.
      const parts: string[] = cursor
        .split('.')
        .map((part: string) => Buffer.from(part, 'base64url').toString('latin1'));
      const readable = [cursor, ...parts].join(' ');
      const shown = Object.values<unknown>(items[1]).filter(value => typeof value === 'string' && value.length > 5);
      expect(shown.length).toBeGreaterThan(0);
      for (const value of shown) expect(readable).not.toContain(value);
      expect((await page(path, 'limit=2')).next_cursor).not.toBe(cursor);
      app.clock.advance(HOUR_MS + 1);
      expectError(await after(path, cursor), 400, 'bad_request', 'cursor');
      app.clock.advance(-HOUR_MS - 1);
      expect((await after(path, cursor)).status).toBe(200);
    }
  });

  it('spec 2.5: a cursor that was altered or made up is refused', async () => {
    for (const path of lists) {
      const { next_cursor: cursor } = await page(path, 'limit=2');
      const middle = Math.floor(cursor.length / 2);
      const flipped = `${cursor.slice(0, middle)}${cursor[middle] === 'A' ? 'B' : 'A'}${cursor.slice(middle + 1)}`;
      for (const wrong of [flipped, cursor.slice(0, -1), `${cursor}A`, 'nonsense', '25', 'k1.AAAA', '']) {
        expectError(await after(path, wrong), 400, 'bad_request', 'cursor');
      }
    }
  });

  it('spec 8: a cursor expires', async () => {
    for (const path of lists) {
      const { next_cursor: cursor } = await page(path, 'limit=2');
      app.clock.advance(HOUR_MS);
      expect((await after(path, cursor)).status).toBe(200);
      app.clock.advance(1);
      const answer = await after(path, cursor);
      expectError(answer, 400, 'bad_request', 'cursor');
      expect(answer.body.message).toMatch(/expired/);
      app.clock.advance(-HOUR_MS - 1);
    }
  });

  it('spec 8: a cursor stays with the list and the organization that it was made for', async () => {
    const other = await app.addOrganization();
    const theirs = await listsOf(other.call);
    for (const path of lists) {
      const { next_cursor: cursor } = await page(path, 'limit=2');
      for (const elsewhere of lists.filter(list => list !== path)) {
        expectError(await after(elsewhere, cursor), 400, 'bad_request', 'cursor');
      }
      expectError(await after(theirs(path), cursor, other.call), 400, 'bad_request', 'cursor');
    }
    const { next_cursor: active } = await page('/v1/users', 'limit=2&status=active');
    expectError(await after('/v1/users', active), 400, 'bad_request', 'cursor');
  });
});

describe('the limit of a list', () => {
  it('spec 8: limit is 1 to 100 with default 25 on every list', async () => {
    for (const { method, path, query } of operationsOf(app)) {
      const limit = query.get('limit');
      if (method !== 'GET' || !limit) continue;
      expect({ path, limit }).toMatchObject({ path, limit: { minimum: 1, maximum: 100, default: 25 } });
      await expectLimits(call, ofMine(path), await totalOf(ofMine(path)));
    }
    expect(lists.length).toBeGreaterThanOrEqual(3);
  });
});

describe('a list as CSV', () => {
  it('has the rows of the JSON form, in its order', async () => {
    // Leaves out the list of usage, whose CSV has its own columns.
    for (const path of [...lists, ...FIXED_LISTS].filter(list => list !== '/v1/usage')) {
      const isFixed = FIXED_LISTS.includes(path);
      const items: object[] = isFixed ? (await page(path, '')).items : await all(path);
      const { status, headers, text } = await call('GET', isFixed ? path : `${path}?limit=2`, undefined, CSV);
      expect({ path, status, type: headers.get('content-type') }).toEqual({ path, status: 200, type: CSV_TYPE });
      expect(headers.get('vary')).toContain('Accept');
      const [header = [], ...rows]: string[][] = parse(text);
      expect(header).toEqual(expect.arrayContaining(Object.keys(items[0] ?? {})));
      const cells = items.map(item => header.map(field => shown(Reflect.get(item, field))));
      expect({ path, rows }).toEqual({ path, rows: cells });
    }
  });

  it('has the rows that the filters select', async () => {
    const { items } = await page('/v1/users', 'q=user-1&limit=100');
    const { text } = await call('GET', '/v1/users?q=user-1', undefined, CSV);
    expect(items.length).toBeLessThan(ROWS);
    const rows: { id: string }[] = parse(text, { columns: true });
    expect(rows.map(({ id }) => id)).toEqual(items.map(({ id }: { id: string }) => id));
  });
});

const CSV = { accept: 'text/csv' };
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const all = async (path: string): Promise<object[]> => (await walk(call, path, 100)).flat();
const shown = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

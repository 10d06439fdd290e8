import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageFigures } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import { UsageIngestion } from '#usage';
import { explaining, nodesOf, type Explained } from '../support/explained.js';
import { moveTime } from '../support/moved-time.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { usageEvent } from './usage.support.js';

const PERIODS = ['hourly', 'daily', 'weekly', 'monthly'] as const;
const USERS = 400;
// The sizes below are those of each organization. With several organizations, none has most of a table, for which a
// sequential scan would be right.
const ORGANIZATIONS = 6;
const EVENTS = 25_000;
const DECISIONS = 12_000;
const DELIVERIES = 12_000;
const AUDIT_ROWS = 11_000;
const DAY_MS = 86_400_000;

/** Tables that grow with use. No statement may scan such a table sequentially, whether it reads or writes. */
const LARGE =
  /^(usage_events_\w+|usage_event_keys|usage_hourly|usage_daily|decisions_\w+|decision_keys|webhook_deliveries\w*|audit_log)$/;
const MUST_BE_LARGE = [
  ...['usage_events_202609', 'usage_events_202610', 'usage_events_202611', 'usage_events_default', 'usage_event_keys'],
  ...['usage_hourly', 'usage_daily', 'webhook_deliveries_default', 'audit_log'],
  ...['decisions_20261117', 'decisions_20261118', 'decisions_20261119', 'decisions_20261120', 'decisions_default'],
  'decision_keys',
];

describe('the plans of hot statements at 150,000 events', () => {
  let app: TestApp;
  let large: Set<string>;
  let webhookId: string;
  const userId = (orgId: string, n: number) => `md5('${orgId} user ' || ${n})::uuid`;

  beforeAll(async () => {
    app = await startTestApp();
    const now = app.clock.now().getTime();
    const time = await moveTime(app.database, { standsAt: new Date(now - 3 * DAY_MS) });
    await app.database.asOwner(`select governance.keep_partitions(array['decisions'], 3, 90)`);
    await time.advance(3 * DAY_MS);
    await app.database.asOwner('select governance.keep_usage_partitions(97)');
    const others = await Promise.all(Array.from({ length: ORGANIZATIONS - 1 }, () => app.addOrganization()));
    for (const orgId of [app.orgId, ...others.map(other => other.orgId)]) await fill(orgId);
    webhookId = randomUUID();
    await fillAround(app.orgId, webhookId);
    for (const { orgId } of others) await fillAround(orgId, randomUUID());
    await app.database.asOwner('vacuum analyze');
    const rows = await app.database.asOwner<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'governance'::regnamespace and relkind = 'r'
         and reltuples >= 1000`,
    );
    large = new Set(rows.map(({ name }) => name).filter(name => LARGE.test(name)));
  });

  afterAll(() => app?.close());

  /**
   * Fills an organization with usage of 85 days, in which some users and models have more than others. Also adds some
   * history from before there were partitions.
   */
  async function fill(orgId: string): Promise<void> {
    await app.database.asOwner(
      `insert into governance.users
         (org_id, id, email, email_key, name, role, status, created_at, updated_at, change_version)
       select '${orgId}', ${userId(orgId, 0).replace('|| 0', '|| n')}, 'u' || n || '@example.com',
         'u' || n || '@example.com', 'User ' || n, 'member', 'active', now(), now(), 1
       from generate_series(0, ${USERS - 1}) n`,
    );
    await app.database.asOwner(
      `insert into governance.usage_events (org_id, id, user_id, provider, model, occurred_at, received_at, input_tokens,
         output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, requests, cost_usd)
       select '${orgId}', 'event-' || n,
         ${userId(orgId, 0).replace('|| 0', `|| floor(${USERS} * power(random(), 2))::int`)},
         'openai', 'model-' || floor(12 * power(random(), 2)),
         case when n % 10 = 0 then timestamptz '2019-06-01' + random() * interval '300 days'
           else timestamptz '2026-11-20 11:00Z' - random() * interval '85 days' end,
         timestamptz '2026-11-20 11:00Z', 1000, 100, 0, 0, 0, 1, 0.01
       from generate_series(1, ${EVENTS}) n`,
    );
    const figures = `sum(requests), sum(input_tokens), sum(output_tokens), 0, 0, 0, sum(cost_usd), 0`;
    for (const statement of [
      `insert into governance.usage_event_keys (org_id, id, occurred_at, fingerprint)
       select org_id, id, occurred_at, '\\x00' from governance.usage_events where org_id = '${orgId}'`,
      `insert into governance.usage_hourly
       select org_id, date_trunc('hour', occurred_at, 'UTC'), user_id, model, provider, ${figures}
       from governance.usage_events where org_id = '${orgId}' group by 1, 2, 3, 4, 5`,
      `insert into governance.usage_daily (org_id, day, user_id, model, provider, requests, input_tokens, output_tokens,
         cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, unpriced_requests)
       select org_id, (hour at time zone 'UTC')::date, user_id, model, provider, ${figures}
       from governance.usage_hourly where org_id = '${orgId}' group by 1, 2, 3, 4, 5`,
    ]) {
      await app.database.asOwner(statement);
    }
  }

  /** Fills other growing tables: decisions, deliveries and the audit log. */
  async function fillAround(orgId: string, webhook: string): Promise<void> {
    const id = (ms: string) => `(lpad(to_hex(${ms}), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid`;
    const now = app.clock.now().getTime();
    // Decisions of the last four days, each of which has a partition, and of half a day before them.
    const decided = id(`${now - 4.5 * DAY_MS} + n::bigint * ${(4.5 * DAY_MS) / DECISIONS}`);
    // Deliveries are older than all daily partitions, but within the retention, so that they stay even if the upkeep of
    // partitions runs.
    const delivered = id(`${now - 10 * DAY_MS} + n`);
    for (const statement of [
      `insert into governance.decisions (org_id, id, occurred_at, user_id, provider, model, action, allowed, reason,
         policies, attributes, idempotency_key, request)
       select '${orgId}', ${decided}, now(), ${userId(orgId, 0).replace('|| 0', `|| n % ${USERS}`)}::text, 'openai',
         'model-' || n % 12, case when n % 20 = 0 then 'block' else 'allow' end, true, 'policy', '[]', '{}', 'key-' || n,
         '{"provider": "openai", "model": "m"}'
       from generate_series(1, ${DECISIONS}) n`,
      `insert into governance.decision_keys (org_id, decision_id, idempotency_key)
       select org_id, id, idempotency_key from governance.decisions where org_id = '${orgId}'`,
      `insert into governance.webhooks (org_id, id, url, created_at, updated_at)
       values ('${orgId}', '${webhook}', 'https://example.com/', now(), now())`,
      `insert into governance.webhook_deliveries (org_id, event_id, webhook_id, id, event_type, status, created_at)
       select '${orgId}', gen_random_uuid(), '${webhook}', ${delivered}, 'policy_violation',
         case when n % 100 = 0 then 'failed' else 'delivered' end, now()
       from generate_series(1, ${DELIVERIES}) n`,
      `insert into governance.audit_log (org_id, seq, id, occurred_at, actor_kind, actor_id, actor_name, action,
         resource_type, resource_id, prev_hash, hash, salt, commitment)
       select '${orgId}', 1000000 + n, gen_random_uuid(), now(), 'token', 'token-' || n % 50, 'Token', 'policy.updated',
         'policy', 'policy-' || n % 200, '\\x00', '\\x00', sha256('salt'), sha256('content')
       from generate_series(1, ${AUDIT_ROWS}) n`,
    ]) {
      await app.database.asOwner(statement);
    }
  }

  /** Large tables that a statement would scan sequentially. */
  const scansOf = (statements: readonly Explained[]) =>
    statements.flatMap(({ sql, plan }) =>
      nodesOf(plan)
        .filter(node => node['Node Type'] === 'Seq Scan' && large.has(node['Relation Name'] ?? ''))
        .map(node => ({ table: node['Relation Name'], sql: sql.trim().slice(0, 300) })),
    );

  /** Partitions of decisions that a statement would read. */
  const partitionsOf = (statement: Explained | undefined) =>
    (statement ? nodesOf(statement.plan) : [])
      .flatMap(node => node['Relation Name'] ?? [])
      .filter(name => name.startsWith('decisions_'));

  /** Runs a function of the product that must use a table, and expects no sequential scan of a large table. */
  async function expectNoScan(table: string, work: () => Promise<unknown>): Promise<Explained[]> {
    const statements = await explaining(app, work);
    expect(statements.filter(({ sql }) => sql.includes(`governance.${table}`))).not.toEqual([]);
    expect(scansOf(statements)).toEqual([]);
    return statements;
  }

  /** Reads some pages of a list. */
  async function walk(call: Call, path: string, pages: number): Promise<void> {
    let cursor: string | null = null;
    for (let page = 0; page < pages; page++) {
      const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await call('GET', `${path}${next}`);
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      cursor = answer.body.next_cursor;
      if (cursor === null) return;
    }
  }

  async function somebody(): Promise<string> {
    const [row] = await app.database.asOwner<{ id: string }>(
      'select user_id as id from governance.usage_daily where org_id = $1 group by 1 order by count(*) desc limit 1',
      [app.orgId],
    );
    return row?.id ?? '';
  }

  it('are tested on large tables', () => {
    expect([...large]).toEqual(expect.arrayContaining(MUST_BE_LARGE));
  });

  describe.each(PERIODS)('usage by %s periods', period => {
    const table = period === 'hourly' ? 'usage_hourly' : 'usage_daily';
    it.each([
      ['of all users', () => Promise.resolve('')],
      ['of a user', async () => `&user_id=${await somebody()}`],
      ['of a model', () => Promise.resolve('&model=model-1')],
      ['of a user and a model', async () => `&user_id=${await somebody()}&model=model-1`],
      ['of a month', () => Promise.resolve('&start_date=2026-10-03&end_date=2026-11-02')],
    ])('is read by indexes %s, both the first page with its count and deep pages', async (_, filter) => {
      const path = `/v1/usage?period=${period}&limit=100${await filter()}`;
      await expectNoScan(table, () => walk(app.call, path, 25));
    });
  });

  it('scan no large table for usage as CSV', async () => {
    const headers = { accept: 'text/csv' };
    await expectNoScan('usage_daily', () => app.call('GET', '/v1/usage?start_date=2026-11-01', undefined, headers));
  });

  it('scan no large table for new events, existing events, and events with other content', async () => {
    const ingestion = app.app.get(UsageIngestion, { strict: false });
    const user = await somebody();
    const events = Array.from({ length: 1_000 }, (_, at) =>
      usageEvent({
        user_id: user,
        occurred_at: `2026-${9 + (at % 3)}-1${at % 10}T0${at % 9}:00:00Z`.replace('-9-', '-09-'),
      }),
    );
    const record = (list: unknown[], counts: object) => async () =>
      expect(await ingestion.record(app.orgId, list)).toMatchObject(counts);
    const first = await expectNoScan('usage_event_keys', record(events, { accepted: 1_000 }));
    expect(first.filter(({ sql }) => sql.includes('on conflict (org_id, hour,'))).toHaveLength(1);
    const changed = events.slice(0, 500).map(event => usageEvent({ ...event, output_tokens: 9 }));
    const again = [...events.slice(500), ...changed.slice(0, 200)];
    const mixed = await expectNoScan('usage_event_keys', record(again, { accepted: 0, duplicates: 500 }));
    expect(mixed.filter(({ sql }) => sql.includes('encode(fingerprint'))).toHaveLength(1);
    const more = Array.from({ length: 1_000 }, () => usageEvent({ user_id: user }));
    await expectNoScan('usage_events', record([...events.slice(0, 10), ...more], { accepted: 1_000, duplicates: 10 }));
  });

  it.each([
    { id: 'event-10', partition: /^usage_events_default$/ },
    { id: 'event-11', partition: /^usage_events_2026\d\d$/ },
    { id: 'unknown', partition: undefined },
  ])('read a key and one partition for an event by its id: $id', async ({ id, partition }) => {
    const statements = await explaining(app, () => app.call('GET', `/v1/usage/events/${id}`), { analyze: true });
    expect(scansOf(statements)).toEqual([]);
    const read = statements.flatMap(({ plan }) => nodesOf(plan)).filter(node => node['Actual Loops'] !== 0);
    const tables = read.flatMap(node => node['Relation Name'] ?? []).filter(name => name.startsWith('usage_event'));
    expect(tables.toSorted()).toEqual([
      'usage_event_keys',
      ...(partition === undefined ? [] : [expect.stringMatching(partition)]),
    ]);
  });

  it.each([
    '',
    'action=block',
    'action=allow',
    'action=alert',
    'model=model-1',
    'model=none',
    'action=block&model=model-1',
  ])('scan no large table for decisions with their count, newest first, also over days: %s', async query => {
    // Advances the clock, because the app does not count again while it remembers that the list of a filter is long.
    app.clock.advance(61_000);
    await expectNoScan('decisions', () => walk(app.call, `/v1/decisions?limit=100&${query}`, 40));
  });

  it('scan no large table for the decisions of a user, and for one of them', async () => {
    const user = await somebody();
    const statements = await expectNoScan('decisions', async () => {
      const { body } = await app.call('GET', `/v1/decisions?limit=100&user_id=${user}`);
      expect((await app.call('GET', `/v1/decisions/${body.items[0].id}`)).status).toBe(200);
    });
    const one = statements.find(({ sql }) => /and id = \$2\s*$/.test(sql));
    expect(partitionsOf(one)).toEqual(['decisions_20261120']);
  });

  it('read only the decisions of two days for a page of the newest decisions', async () => {
    const statements = await explaining(app, () => app.call('GET', '/v1/decisions?limit=100'));
    const pages = statements.filter(({ sql }) => /order by id desc/.test(sql));
    expect(pages.map(partitionsOf)).toEqual([expect.not.arrayContaining(['decisions_20261118'])]);
    expect(partitionsOf(pages[0])).toEqual(expect.arrayContaining(['decisions_20261119', 'decisions_20261120']));
  });

  it('scan no large table for a decision with a new key, and for one with a used key', async () => {
    const user = await somebody();
    const request = { user_id: user, provider: 'openai', model: 'm' };
    await expectNoScan('decision_keys', async () => {
      for (const idempotency_key of ['new', 'new', 'key-7']) {
        const { status } = await app.call('POST', '/v1/decisions', { ...request, idempotency_key });
        expect({ idempotency_key, status }).toEqual({ idempotency_key, status: idempotency_key === 'new' ? 200 : 409 });
      }
    });
  });

  it('scan no large table for a policy simulation, with the cost of the decisions that it would refuse', async () => {
    const policy = { name: 'Everything', action: 'block' };
    const simulate = () => app.call('POST', '/v1/policies/simulate', { policy, days: 90 });
    const statements = await expectNoScan('usage_daily', simulate);
    // The simulation reads decisions by three statements: their number, their digests, and the decisions with new
    // digests.
    expect(statements.filter(({ sql }) => sql.includes('governance.decisions')).length).toBeGreaterThan(2);
    const ids = Array.from({ length: 1_500 }, () => randomUUID());
    await expectNoScan('usage_events', () =>
      app.app
        .get(OrgDatabase, { strict: false })
        .snapshot(app.orgId, em => app.app.get(UsageFigures, { strict: false }).costsOf(sqlOf(em), app.orgId, ids)),
    );
  });

  it.each(['', 'status=failed', 'event_type=policy_violation'])(
    'scan no large table for deliveries, newest first %s',
    async query => {
      const path = `/v1/webhooks/${webhookId}/deliveries?limit=100&${query}`;
      await expectNoScan('webhook_deliveries', () => walk(app.call, path, 3));
    },
  );

  it.each(['', 'resource_type=policy&resource_id=policy-7', 'actor_id=token-7'])(
    'scan no large table for the audit log, newest first %s',
    async query => {
      await expectNoScan('audit_log', () => walk(app.call, `/v1/audit-log?limit=100&${query}`, 5));
    },
  );

  it('are reported if they scan a whole table', async () => {
    await app.database.asOwner('alter table governance.usage_event_keys drop constraint usage_event_keys_pkey');
    const statements = await explaining(app, () => app.call('GET', '/v1/usage/events/event-11'));
    expect(scansOf(statements).map(({ table }) => table)).toEqual(['usage_event_keys']);
  });
});

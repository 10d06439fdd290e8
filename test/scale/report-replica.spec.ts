import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '#database';
import { MIGRATIONS } from '#governance';
import { createUser, report, usageEvent } from '../e2e/usage.support.js';
import { HAS_POSTGRES_15, startPostgres15, startStandby15, type DebianPostgres } from '../support/debian-postgres.js';
import { describeWhere } from '../support/describe-where.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';

const MINUTE_MS = 60_000;
const AS_OF = 'x-governance-data-as-of';
const REPORTS = [
  '/v1/usage',
  '/v1/usage/series?metric=requests',
  '/v1/usage/breakdown?group_by=model',
  '/v1/usage/focus',
];

describeWhere(!HAS_POSTGRES_15 && 'no PostgreSQL 15', 'reports from a streaming replica', () => {
  let primary: DebianPostgres;
  let standby: DebianPostgres;
  let app: TestApp;
  let userId: string;

  beforeAll(async () => {
    primary = await startPostgres15();
    await migrate({ url: primary.url }, MIGRATIONS);
    standby = await startStandby15(primary);
    app = await startTestApp({
      testDatabase: {
        url: primary.url,
        asOwner: (sql, values = []) => on(primary, sql, values),
        drop: async () => undefined,
      },
      database: { url: '', migrations: 'check', reportsUrl: standby.url },
    });
    userId = await createUser(app.call, 'ada');
  });

  beforeEach(() => {
    // Advances the clock, so that the app checks both servers again in each test.
    app.clock.advance(2_000);
  });

  afterAll(async () => {
    await app?.close();
    await standby?.stop();
    await primary?.stop();
  });

  async function on<Row extends object>(server: DebianPostgres, sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  const requestsIn = ({ body }: Answer): number =>
    body.items.reduce((sum: number, item: { total_requests: number }) => sum + item.total_requests, 0);

  /** Runs work while the standby does not replay the log. */
  async function pausedWith(work: () => Promise<void>): Promise<void> {
    await on(standby, 'select pg_wal_replay_pause()');
    await until(async () => {
      const [row] = await on<{ state: string }>(standby, 'select pg_get_wal_replay_pause_state() as state');
      return row?.state === 'paused';
    });
    try {
      await work();
    } finally {
      await on(standby, 'select pg_wal_replay_resume()');
    }
  }

  it('state the age of their data, which is now while nothing is written', async () => {
    await report(app.call, usageEvent({ user_id: userId }));
    for (const path of REPORTS) {
      const answer = await app.call('GET', path);
      expect([path, answer.status]).toEqual([path, 200]);
      const age = app.clock.now().getTime() - Date.parse(answer.headers.get(AS_OF) ?? '');
      expect(age).toBeGreaterThanOrEqual(0);
      expect(age).toBeLessThanOrEqual(MINUTE_MS);
    }
  });

  it('show the state of the stated time while replay is paused, and come from the primary beyond the limit', async () => {
    const before = await until(async () => {
      app.clock.advance(2_000);
      const answer = await app.call('GET', '/v1/usage');
      return answer.headers.get(AS_OF) === app.clock.now().toISOString() && requestsIn(answer) === 1 && answer;
    });
    await pausedWith(async () => {
      await report(app.call, usageEvent({ user_id: userId }));
      app.clock.advance(MINUTE_MS / 2);
      const late = await app.call('GET', '/v1/usage');
      expect([requestsIn(late), late.headers.get(AS_OF)]).toEqual([1, before.headers.get(AS_OF)]);
      app.clock.advance(MINUTE_MS);
      const fresh = await app.call('GET', '/v1/usage');
      expect([requestsIn(fresh), fresh.headers.get(AS_OF)]).toEqual([2, app.clock.now().toISOString()]);
    });
  });

  it('show one organization only its own usage', async () => {
    const { call } = await app.addOrganization();
    await until(async () => {
      app.clock.advance(2_000);
      const answer = await call('GET', '/v1/usage');
      return answer.status === 200 && answer.body.items.length === 0;
    });
    const client = new pg.Client({ connectionString: standby.url });
    await client.connect();
    await client.query('set role governance_app');
    expect((await client.query('select from governance.usage_totals')).rowCount).toBe(0);
    await client.end();
  });

  // This must be the last test, because the standby is not started again.
  it('come from the primary while the replica is down', async () => {
    await standby.stop();
    for (const path of REPORTS) {
      const answer = await app.call('GET', path);
      expect([path, answer.status, answer.headers.get(AS_OF)]).toEqual([path, 200, app.clock.now().toISOString()]);
    }
  });
});

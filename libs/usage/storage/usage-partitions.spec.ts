import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openOrm, OrgDatabase } from '#database';
import { Scheduler } from '#scheduler';
import { moveTime, type MovedTime } from '../../../test/support/moved-time.js';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import type { UsageOptions } from '../usage.options.js';
import { UsagePartitions } from './usage-partitions.js';

const DAY_MS = 86_400_000;
const NOW = new Date('2030-05-31T23:59:59.999Z');

describe('the upkeep of usage events', () => {
  let tests: TestDatabase;
  let database: OrgDatabase;
  let time: MovedTime;
  let app: pg.Client;
  const orgId = randomUUID();

  beforeEach(async () => {
    tests = await createMigratedDatabase();
    time = await moveTime(tests, { standsAt: NOW });
    database = new OrgDatabase(await openOrm({ url: tests.url }, []));
    // Uses the role of the migrations if the options say so.
    await tests.asOwner(`update governance.retention_floors set keep_days = 97 where name = 'usage'`);
    const url = new URL(tests.url);
    url.searchParams.set('options', '-c role=governance_app');
    app = new pg.Client({ connectionString: url.href });
    await app.connect();
    // A fresh database has partitions for the months around the day of the test run, which are dropped here.
    await tests.asOwner(
      (await partitions()).map(name => `drop table governance.${name}`).join(';') || 'select 1 as nothing',
    );
  });

  afterEach(async () => {
    await app.end();
    await database.close();
    await tests.drop();
  });

  const upkeep = (options: UsageOptions = {}, work = new Scheduler(database, {})): UsagePartitions =>
    new UsagePartitions(database, options, work);
  const keep = (retentionDays = 400): Promise<number> => upkeep({ retentionDays }).keep();

  /** Names of the partitions of usage events, without the default partition. */
  async function partitions(): Promise<string[]> {
    const rows = await tests.asOwner<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'governance.usage_events'::regclass and c.relname <> 'usage_events_default' order by 1`,
    );
    return rows.map(row => row.name);
  }

  /** Stores an event with the given time, and its key, with the rights of the app. */
  async function event(id: string, occurredAt: string, receivedAt = occurredAt, org = orgId): Promise<void> {
    await asApp(
      org,
      `with key as (insert into governance.usage_event_keys (org_id, id, occurred_at, fingerprint)
         values ($1, $2, $3, '\\x00'))
       insert into governance.usage_events (org_id, id, occurred_at, received_at, user_id, provider, model, input_tokens,
         output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, requests)
       values ($1, $2, $3, $4, gen_random_uuid(), 'p', 'm', 1, 1, 0, 0, 0, 1)`,
      [org, id, occurredAt, receivedAt],
    );
  }

  async function asApp(org: string, sql: string, parameters: unknown[] = []): Promise<object[]> {
    await app.query('begin');
    try {
      await app.query(`select set_config('governance.org_id', $1, true)`, [org]);
      const { rows } = await app.query<object>(sql, parameters);
      await app.query('commit');
      return rows;
    } catch (error) {
      await app.query('rollback');
      throw error;
    }
  }

  /** The partition in which each event is stored, by id. Requires that each event has a row in `usage_event_keys`. */
  async function places(): Promise<Record<string, string>> {
    const rows = await tests.asOwner<{ id: string; place: string }>(
      `select id, tableoid::regclass::text as place from governance.usage_events order by id`,
    );
    const keys = await tests.asOwner<{ id: string }>('select id from governance.usage_event_keys order by id');
    expect(keys.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    return Object.fromEntries(rows.map(({ id, place }) => [id, place.replace('governance.usage_events_', '')]));
  }

  const MONTHS = ['203002', '203003', '203004', '203005', '203006', '203007'];

  it('creates the partitions from three months back to two months ahead, in UTC, and none the second time', async () => {
    await keep();
    const made = MONTHS.map(month => `usage_events_${month}`);
    expect(await partitions()).toEqual(made);
    await keep();
    expect(await partitions()).toEqual(made);
    await time.advance(1);
    await keep();
    expect(await partitions()).toEqual([...made, 'usage_events_203008']);
  });

  it('puts each event into the partition of its month, to the millisecond, and other events into the default one', async () => {
    await keep();
    await event('first', '2030-05-01T00:00:00.000Z');
    await event('last', '2030-05-31T23:59:59.999Z');
    await event('next', '2030-06-01T00:00:00.000Z');
    await event('history', '2029-12-31T00:00:00.000Z');
    expect(await places()).toEqual({ first: '203005', last: '203005', next: '203006', history: 'default' });
  });

  it('moves events that came before their month had a partition, and keeps the others', async () => {
    await event('may', '2030-05-01T00:00:00.000Z');
    await event('july', '2030-07-31T23:59:59.999Z');
    await event('later', '2030-08-01T00:00:00.000Z');
    await event('history', '2020-01-01T00:00:00.000Z', NOW.toISOString());
    await keep();
    expect(await places()).toEqual({ may: '203005', july: '203007', later: 'default', history: 'default' });
    expect(await asApp(orgId, 'select 1 from governance.usage_events')).toHaveLength(4);
  });

  it('drops months that ended before the retention, with the keys of their events, of every organization', async () => {
    await keep();
    const other = randomUUID();
    await event('old', '2030-02-28T23:59:59.999Z');
    await event('old', '2030-02-01T00:00:00.000Z', undefined, other);
    await event('kept', '2030-03-01T00:00:00.000Z');
    // On the sixth of June, 97 days have passed since the end of February.
    await time.advance(5 * DAY_MS);
    await keep(97);
    expect(await places()).toEqual({ old: '203002', kept: '203003' });
    await time.advance(1);
    await keep(97);
    expect(await places()).toEqual({ kept: '203003' });
    expect(await partitions()).not.toContain('usage_events_203002');
  });

  it('deletes the corrections of deleted events, and no others', async () => {
    await keep();
    await event('old', '2029-01-10T00:00:00Z', '2029-01-10T00:00:00Z');
    await event('new', '2030-05-10T00:00:00Z');
    for (const id of ['old', 'new']) {
      await asApp(
        orgId,
        `insert into governance.usage_adjustments (org_id, event_id, rerating_id, occurred_at, cost_delta_usd,
           unpriced_delta, created_at)
         values ($1, $2, gen_random_uuid(), '2029-01-10T00:00:00Z', 1, 0, now())`,
        [orgId, id],
      );
    }
    await keep();
    expect(await asApp(orgId, 'select event_id from governance.usage_adjustments')).toEqual([{ event_id: 'new' }]);
  });

  it('keeps the months that the owner of the tables requires, even if a caller asks for fewer', async () => {
    await keep();
    await event('old', '2030-02-28T23:59:59.999Z');
    await event('history', '2019-01-01T00:00:00Z', '2030-02-20T00:00:00Z');
    await tests.asOwner(`update governance.retention_floors set keep_days = 120 where name = 'usage'`);
    await time.advance(6 * DAY_MS);
    await keep(97);
    expect(Object.keys(await places())).toEqual(['history', 'old']);
    await expect(app.query('update governance.retention_floors set keep_days = 97')).rejects.toMatchObject({
      code: '42501',
    });
    await time.advance(30 * DAY_MS);
    await keep(97);
    expect(await places()).toEqual({});
  });

  it('removes events of the default partition by the time when they were received', async () => {
    await keep();
    await event('old history', '2019-01-01T00:00:00Z', '2030-02-23T23:59:59.998Z');
    await event('history', '2019-01-01T00:00:00Z', '2030-02-23T23:59:59.999Z');
    await keep(97);
    expect(await places()).toEqual({ history: 'default' });
  });

  it('removes more events than fit into one chunk of the work', async () => {
    await keep();
    await tests.asOwner(
      `insert into governance.usage_event_keys (org_id, id, occurred_at, fingerprint)
       select $1, 'e' || n, '2030-02-10T00:00:00Z', '\\x00' from generate_series(1, 45000) n`,
      [orgId],
    );
    await tests.asOwner(
      `insert into governance.usage_events (org_id, id, occurred_at, received_at, user_id, provider, model, input_tokens,
         output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, requests)
       select org_id, id, occurred_at, now(), $1, 'p', 'm', 1, 1, 0, 0, 0, 1 from governance.usage_event_keys`,
      [randomUUID()],
    );
    await event('kept', '2030-05-01T00:00:00Z');
    await time.advance(30 * DAY_MS);
    await keep(97);
    expect(await places()).toEqual({ kept: '203005' });
    expect(await partitions()).not.toContain('usage_events_203002');
  });

  it('skips a month that a reader has locked until the next time, and keeps its other work', async () => {
    await keep();
    await event('old', '2030-02-10T00:00:00Z');
    await time.advance(30 * DAY_MS);
    const reader = new pg.Client({ connectionString: tests.url });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select 1 from governance.usage_events_203002');
    await keep(97);
    expect(await partitions()).toEqual(expect.arrayContaining(['usage_events_203002', 'usage_events_203008']));
    expect(await places()).toEqual({});
    await reader.query('rollback');
    await reader.end();
    await keep(97);
    expect(await partitions()).not.toContain('usage_events_203002');
  });

  it('runs on one replica at a time; the second finds nothing to do', async () => {
    const orms = await Promise.all([1, 2, 3].map(() => openOrm({ url: tests.url }, [])));
    const changes = await Promise.all(
      orms.map(orm =>
        new OrgDatabase(orm).global<{ changed: string }>(`select governance.keep_usage_partitions(97) as changed`),
      ),
    );
    expect(changes.map(([row]) => Number(row?.changed)).toSorted((a, b) => a - b)).toEqual([0, 0, 6]);
    await Promise.all(orms.map(orm => orm.close(true)));
  });

  it('keeps at least 97 days, because events may be 90 days old when they arrive', async () => {
    for (const days of [0, -1, 96]) {
      const asked = database.global(`select governance.keep_usage_partitions($1)`, [days]);
      await expect(asked).rejects.toThrow('keeps at least 97 days');
    }
  });

  it('runs at the start, and finishes running work before the connections close', async () => {
    const work = new Scheduler(database, {});
    upkeep({}, work);
    work.onApplicationBootstrap();
    await new Promise(setImmediate);
    await database.close();
    expect(await partitions()).toHaveLength(6);
  });

  it('lets the app use a partition only through the table, where it sees only its own organization', async () => {
    await keep();
    await event('theirs', '2030-05-01T00:00:00Z', undefined, randomUUID());
    await event('mine', '2030-05-01T00:00:00Z');
    for (const partition of [...(await partitions()), 'usage_events_default']) {
      for (const sql of [
        `select 1 from governance.${partition}`,
        `delete from governance.${partition}`,
        `drop table governance.${partition}`,
      ]) {
        await expect(asApp(orgId, sql).then(() => sql)).rejects.toMatchObject({ code: '42501' });
      }
    }
    for (const table of ['usage_events', 'usage_event_keys']) {
      expect(await asApp(orgId, `select id from governance.${table}`)).toEqual([{ id: 'mine' }]);
      await expect(asApp(orgId, `delete from governance.${table}`)).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('may be called only by the app’s role, and finds its tables whatever the search path is', async () => {
    const [row] = await tests.asOwner<{ app: boolean; everybody: boolean; config: string[] }>(
      `select has_function_privilege('governance_app', oid, 'execute') as app, proconfig as config,
         exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) a where a.grantee = 0) as everybody
       from pg_proc where oid = 'governance.keep_usage_partitions'::regproc`,
    );
    expect(row).toEqual({
      app: true,
      everybody: false,
      config: expect.arrayContaining(['search_path=pg_catalog, pg_temp']),
    });
  });

  it('works for an owner that is subject to row-level security, too', async () => {
    const owner = `plain_owner_${randomUUID().slice(0, 8)}`;
    await tests.asOwner(`create role ${owner} nologin`);
    await tests.asOwner(`grant usage, create on schema governance to ${owner}`);
    await tests.asOwner(`grant execute on function governance.now() to ${owner}`);
    await tests.asOwner(`grant usage on schema moved_time to ${owner}`);
    await event('old', '2019-01-01T00:00:00Z', '2019-01-01T00:00:00Z');
    await event('old', '2019-01-01T00:00:00Z', '2019-01-01T00:00:00Z', randomUUID());
    const owned = ['usage_events', 'usage_events_default', 'usage_event_keys', 'usage_adjustments', 'retention_floors'];
    for (const table of owned) {
      await tests.asOwner(`alter table governance.${table} owner to ${owner}`);
    }
    await tests.asOwner(`alter function governance.keep_usage_partitions(integer) owner to ${owner}`);
    await keep();
    expect(await places()).toEqual({});
    expect(await partitions()).toHaveLength(6);
    await tests.asOwner(`reassign owned by ${owner} to current_user`);
    await tests.asOwner(`drop owned by ${owner}`);
    await tests.asOwner(`drop role ${owner}`);
  });
});

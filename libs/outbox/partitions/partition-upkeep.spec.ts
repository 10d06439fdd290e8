import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '#core';
import { openOrm, OrgDatabase } from '#database';
import { moveTime, type MovedTime } from '../../../test/support/moved-time.js';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import type { OutboxOptions } from '../outbox.options.js';
import { PartitionUpkeep } from './partition-upkeep.js';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-20T12:00:00.000Z');
const TODAY = new Date('2026-11-20T00:00:00.000Z').getTime();

describe('the upkeep of partitions', () => {
  let tests: TestDatabase;
  let database: OrgDatabase;
  let time: MovedTime;
  let app: pg.Client;
  const orgId = randomUUID();

  beforeEach(async () => {
    tests = await createMigratedDatabase();
    time = await moveTime(tests, { standsAt: NOW });
    database = new OrgDatabase(await openOrm({ url: tests.url }, []));
    await setFloor(1);
    // The database already has the partitions of the real today.
    for (const partition of await partitions()) await tests.asOwner(`drop table governance.${partition}`);
    const url = new URL(tests.url);
    url.searchParams.set('options', '-c role=governance_app');
    app = new pg.Client({ connectionString: url.href });
    await app.connect();
  });

  afterEach(async () => {
    await app.end();
    await database.close();
    await tests.drop();
  });

  /** Connects with the role for migrations if the options require it. */
  async function setFloor(days: number): Promise<void> {
    await tests.asOwner('update governance.retention_floors set keep_days = $1', [days]);
  }

  const upkeepWith = (options: OutboxOptions): PartitionUpkeep =>
    new PartitionUpkeep(database, options, { add: () => async () => 0 });
  const keep = (retentionDays = 30): Promise<void> => upkeepWith({ retentionDays }).keep();

  /** Names of the partitions of events, without the default partition. */
  async function partitions(): Promise<string[]> {
    const rows = await tests.asOwner<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'governance.events'::regclass and c.relname <> 'events_default' order by 1`,
    );
    return rows.map(row => row.name);
  }

  /** Stores an event with the given time, as the app does. Returns its id. */
  async function event(at: number, org = orgId): Promise<string> {
    const id = newId(new Date(at));
    await asApp(org, `insert into governance.events values ($1, $2, 'ping', now(), 'x')`, [org, id]);
    return id;
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

  /** The partition in which each event is stored, by id. */
  async function places(): Promise<Record<string, string>> {
    const rows = await tests.asOwner<{ id: string; place: string }>(
      'select id, tableoid::regclass::text as place from governance.events',
    );
    return Object.fromEntries(rows.map(({ id, place }) => [id, place.replace('governance.', '')]));
  }

  it('creates the partitions of today and of the next three days in UTC, and none the second time', async () => {
    await keep();
    const made = ['events_20261120', 'events_20261121', 'events_20261122', 'events_20261123'];
    expect(await partitions()).toEqual(made);
    await keep();
    expect(await partitions()).toEqual(made);
    await time.advance(DAY_MS);
    await keep();
    expect(await partitions()).toEqual([...made, 'events_20261124']);
  });

  it('puts each row into the partition of its day, to the millisecond', async () => {
    await keep();
    const [first, last, next] = [await event(TODAY), await event(TODAY + DAY_MS - 1), await event(TODAY + DAY_MS)];
    expect(await places()).toEqual({
      [first]: 'events_20261120',
      [last]: 'events_20261120',
      [next]: 'events_20261121',
    });
  });

  it('moves rows that came before their partition existed, and keeps rows whose day has no partition', async () => {
    const [today, later, yesterday] = [await event(TODAY + 1), await event(TODAY + 9 * DAY_MS), await event(TODAY - 1)];
    await keep();
    expect(await places()).toEqual({
      [today]: 'events_20261120',
      [later]: 'events_default',
      [yesterday]: 'events_default',
    });
    expect(await asApp(orgId, 'select 1 from governance.events')).toHaveLength(3);
  });

  it('drops days older than the retention, and old rows of the default partition', async () => {
    await keep(2);
    const [old, kept] = [await event(TODAY), await event(TODAY + DAY_MS)];
    const [oldStray, keptStray] = [await event(TODAY - 1), await event(TODAY + 20 * DAY_MS)];
    await time.advance(2 * DAY_MS);
    await keep(2);
    expect(Object.keys(await places()).toSorted()).toEqual([old, kept, keptStray].toSorted());
    expect(oldStray).toBeDefined();
    await time.advance(DAY_MS);
    await keep(2);
    expect(Object.keys(await places()).toSorted()).toEqual([kept, keptStray].toSorted());
    expect(await partitions()).not.toContain('events_20261120');
  });

  it('keeps the created partitions if a reader prevents an old day from being dropped', async () => {
    await keep(1);
    await time.advance(5 * DAY_MS);
    const reader = new pg.Client({ connectionString: tests.url });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select 1 from governance.events_20261120');
    await keep(1);
    expect(await partitions()).toEqual(expect.arrayContaining(['events_20261120', 'events_20261125']));
    await reader.query('rollback');
    await reader.end();
    await keep(1);
    expect(await partitions()).not.toContain('events_20261120');
  });

  it('runs on one replica at a time; the second finds nothing to do', async () => {
    const others = await Promise.all([1, 2, 3].map(() => openOrm({ url: tests.url }, [])));
    const changes = await Promise.all(
      others.map(orm =>
        new OrgDatabase(orm).global<{ changed: number }>(
          `select governance.keep_partitions(array['events'], 3, 30) as changed`,
        ),
      ),
    );
    expect(changes.map(([row]) => row?.changed).toSorted((a = 0, b = 0) => a - b)).toEqual([0, 0, 4]);
    await Promise.all(others.map(orm => orm.close(true)));
  });

  it('keeps at least one day, even if a caller asks for fewer', async () => {
    for (const days of [0, -1]) {
      const asked = database.global(`select governance.keep_partitions(array['events'], 3, $1)`, [days]);
      await expect(asked).rejects.toThrow('keeps at least one day');
    }
  });

  it('keeps the days that the owner of the tables requires, even if a caller asks for fewer', async () => {
    await keep(30);
    const [old, stray] = [await event(TODAY), await event(TODAY - DAY_MS)];
    await setFloor(7);
    await time.advance(6 * DAY_MS);
    await keep(1);
    expect(Object.keys(await places()).toSorted()).toEqual([old, stray].toSorted());
    await expect(app.query('update governance.retention_floors set keep_days = 1')).rejects.toMatchObject({
      code: '42501',
    });
    await time.advance(2 * DAY_MS);
    await keep(1);
    expect(await places()).toEqual({});
  });

  it('keeps the requested number of days if the owner requires fewer', async () => {
    const id = (await keep(30), await event(TODAY));
    await time.advance(20 * DAY_MS);
    await keep(30);
    expect(Object.keys(await places())).toEqual([id]);
  });

  it('also sweeps tables without partitions, and a failing sweep does not stop the others', async () => {
    const upkeep = upkeepWith({ retentionDays: 7 });
    const swept: number[] = [];
    upkeep.addSweep(() => Promise.reject(new Error('no such table')));
    upkeep.addSweep(async days => swept.push(days));
    await upkeep.keep();
    expect(swept).toEqual([7]);
    expect(await partitions()).toHaveLength(4);
  });

  it('keeps each table for its own retention, or else for that of events', async () => {
    const upkeep = upkeepWith({ retentionDays: 2 });
    upkeep.add('decisions', 5);
    upkeep.add('webhook_attempts');
    const oldest = async (table: string) => {
      const rows = await tests.asOwner<{ name: string }>(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = ('governance.' || $1)::regclass and c.relname not like '%_default' order by 1 limit 1`,
        [table],
      );
      return rows[0]?.name;
    };
    for (let day = 0; day < 7; day++) {
      await upkeep.keep();
      await time.advance(DAY_MS);
    }
    expect(await oldest('decisions')).toBe('decisions_20261121');
    expect(await oldest('webhook_attempts')).toBe('webhook_attempts_20261124');
    expect(await oldest('events')).toBe('events_20261124');
  });

  it('continues with the other tables if one fails', async () => {
    const upkeep = upkeepWith({});
    upkeep.add('no_such_table', 5);
    upkeep.add('decisions', 5);
    await upkeep.keep();
    expect(await tests.asOwner(`select 1 where to_regclass('governance.decisions_20261123') is not null`)).toHaveLength(
      1,
    );
  });

  it('does not change a table without partitions', async () => {
    await expect(database.global(`select governance.keep_partitions(array['tasks'], 3, 30)`)).rejects.toThrow(
      'no rows',
    );
  });

  it('lets the app use a partition only through the table, where it sees only its own organization', async () => {
    await keep();
    const other = randomUUID();
    await event(TODAY, other);
    const own = await event(TODAY);
    for (const partition of [...(await partitions()), 'events_default']) {
      for (const sql of [
        `select 1 from governance.${partition}`,
        `insert into governance.${partition} values ('${orgId}', gen_random_uuid(), 'x', now(), 'x')`,
        `delete from governance.${partition}`,
        `drop table governance.${partition}`,
      ]) {
        await expect(asApp(orgId, sql).then(() => sql)).rejects.toMatchObject({ code: '42501' });
      }
    }
    expect(await asApp(orgId, 'select id from governance.events')).toEqual([{ id: own }]);
  });
});

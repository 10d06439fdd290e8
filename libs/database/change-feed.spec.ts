import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import type { TestDatabase } from '../../test/support/test-postgres.js';
import { ChangeFeed } from './change-feed.js';
import { Notifications } from './notifications.js';
import type { DatabaseOptions } from './database.options.js';
import { openOrm } from './orm.js';
import { OrgDatabase } from './org-database.js';

/** Time limit for work that takes a quarter of a second. It allows for a machine whose cores are busy. */
const BUSY_MS = 30_000;

describe('the change feed', () => {
  let database: TestDatabase;
  const open: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });

  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  afterAll(() => database.drop());

  async function replica(changes: DatabaseOptions['changes']): Promise<{ feed: ChangeFeed; governed: OrgDatabase }> {
    const options = { url: database.url, changes: changes ?? {} };
    const orm = await openOrm(options, []);
    const governed = new OrgDatabase(orm);
    const notifications = new Notifications(options);
    const feed = new ChangeFeed(governed, options, notifications);
    feed.start();
    await notifications.start();
    open.push(async () => {
      await notifications.stop();
      await feed.stop();
      await orm.close(true);
    });
    return { feed, governed };
  }

  function change({ feed, governed }: { feed: ChangeFeed; governed: OrgDatabase }, orgId: string): Promise<number> {
    return governed.transaction(orgId, em => feed.mark(em, orgId, 'things'));
  }

  async function until(check: () => boolean): Promise<number> {
    const begun = performance.now();
    while (!check() && performance.now() - begun < BUSY_MS) await new Promise(done => setTimeout(done, 5));
    return performance.now() - begun;
  }

  it('delivers a change to another replica by notification, long before the poll', async () => {
    const [one, two] = [await replica({ pollIntervalMs: 60_000 }), await replica({ pollIntervalMs: 60_000 })];
    const orgId = randomUUID();
    const received: number[] = [];
    two.feed.subscribe('things', (_org, version) => void received.push(version));
    await two.feed.watch(orgId);
    await change(one, orgId);
    await until(() => received.length > 0);
    expect(received).toEqual([1]);
  });

  it('delivers a change by the poll if notifications are lost', async () => {
    const [one, two] = [await replica({ listen: false }), await replica({ listen: false })];
    const orgId = randomUUID();
    const received: number[] = [];
    two.feed.subscribe('things', (_org, version) => void received.push(version));
    await two.feed.watch(orgId);
    await change(one, orgId);
    expect(await until(() => received.length > 0)).toBeLessThan(BUSY_MS);
    expect(received).toEqual([1]);
  });

  it('returns the version that matches a read in a transaction with a fixed snapshot', async () => {
    const one = await replica({});
    const orgId = randomUUID();
    const versionNow = () => one.governed.snapshot(orgId, em => one.feed.versionWithin(em, orgId, 'things'));
    expect(await versionNow()).toBe(0);
    await change(one, orgId);
    expect(await versionNow()).toBe(1);
    const seen = await one.governed.snapshot(orgId, async em => {
      await change(one, orgId);
      return one.feed.versionWithin(em, orgId, 'things');
    });
    expect([seen, await versionNow()]).toEqual([1, 2]);
  });

  it('reports once that all marks of an organization are deleted, and reports new ones afterwards', async () => {
    const one = await replica({ listen: false });
    const [orgId, other] = [randomUUID(), randomUUID()];
    const [gone, received]: [string[], number[]] = [[], []];
    one.feed.onReset(id => void gone.push(id));
    one.feed.subscribe('things', (_org, version) => void received.push(version));
    await Promise.all([one.feed.watch(orgId), one.feed.watch(other)]);
    for (const id of [orgId, orgId, other]) await change(one, id);
    await one.feed.refresh();
    expect(gone).toEqual([]);
    received.length = 0;
    await database.asOwner('delete from governance.change_marks where org_id = $1', [orgId]);
    for (let look = 0; look < 2; look++) await one.feed.refresh();
    expect(gone).toEqual([orgId]);
    await change(one, orgId);
    await one.feed.refresh();
    expect(received).toEqual([1]);
  });

  it.each([
    ['is lower', 'update governance.change_marks set version = version - 2 where org_id = $1 and topic = $2', [2, 3]],
    ['is missing', 'delete from governance.change_marks where org_id = $1 and topic = $2', [1]],
  ])(
    'resets an organization whose version %s after a restore, and reports its topics again',
    async (_lost, sql, then) => {
      const one = await replica({ listen: false });
      const [orgId, other] = [randomUUID(), randomUUID()];
      const [reset, received]: [string[], number[]] = [[], []];
      one.feed.onReset(id => void reset.push(id));
      one.feed.subscribe('things', (org, version) => void (org === orgId && received.push(version)));
      await Promise.all([one.feed.watch(orgId), one.feed.watch(other)]);
      for (let at = 0; at < 4; at++) await change(one, orgId);
      await one.governed.transaction(orgId, em => one.feed.mark(em, orgId, 'others'));
      await change(one, other);
      await one.feed.refresh();
      expect(reset).toEqual([]);
      received.length = 0;
      await database.asOwner(sql, [orgId, 'things']);
      for (let look = 0; look < 2; look++) await one.feed.refresh();
      expect(reset).toEqual([orgId]);
      await change(one, orgId);
      await one.feed.refresh();
      expect(received).toEqual(then);
    },
  );

  it('listens again after its connection was closed', async () => {
    const [one, two] = [await replica({ pollIntervalMs: 60_000 }), await replica({ pollIntervalMs: 60_000 })];
    const orgId = randomUUID();
    const received: number[] = [];
    two.feed.subscribe('things', (_org, version) => void received.push(version));
    await two.feed.watch(orgId);
    await database.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'nest-llm-governance listen' and datname = current_database()`,
    );
    await change(one, orgId);
    await until(() => received.length > 0);
    expect(received).toEqual([1]);
  });

  it('reports a change once it is committed, and not before', async () => {
    const one = await replica({});
    const orgId = randomUUID();
    const received: number[] = [];
    one.feed.subscribe('things', (_org, version) => void received.push(version));
    await one.feed.watch(orgId);
    const failed = one.governed.transaction(orgId, async em => {
      await one.feed.mark(em, orgId, 'things');
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await one.feed.refresh();
    expect(received).toEqual([]);
    await change(one, orgId);
    await one.feed.refresh();
    expect(received).toEqual([1]);
  });

  it('handles a change before refresh() returns, even if a poll is running', async () => {
    const one = await replica({ listen: false, pollIntervalMs: 1 });
    const orgId = randomUUID();
    let known = 0;
    one.feed.subscribe('things', (_org, version) => {
      known = version;
    });
    await one.feed.watch(orgId);
    for (let round = 0; round < 100; round++) {
      const version = await change(one, orgId);
      await one.feed.refresh();
      expect(known).toBe(version);
    }
  });

  it('repeats a change whose handler failed, without delaying other organizations', async () => {
    const one = await replica({ listen: false, pollIntervalMs: 20 });
    const [poor, rich] = [randomUUID(), randomUUID()];
    const received: string[] = [];
    let failures = 2;
    one.feed.subscribe('things', orgId => {
      if (orgId === poor && failures-- > 0) throw new Error('not now');
      received.push(orgId);
    });
    await one.feed.watch(poor);
    await one.feed.watch(rich);
    await change(one, poor);
    await change(one, rich);
    await until(() => received.length === 2);
    expect(received).toEqual([rich, poor]);
  });

  it('aborts a poll whose connection does not answer, and starts another', async () => {
    const { feed, governed } = await replica({ listen: false, pollIntervalMs: 50 });
    const orgId = randomUUID();
    const received: number[] = [];
    feed.subscribe('things', (_org, version) => void received.push(version));
    await feed.watch(orgId);
    const real = governed.global.bind(governed);
    let hung = 0;
    governed.global = (sql, parameters) => (hung++ === 0 ? new Promise(() => undefined) : real(sql, parameters));
    await change({ feed, governed }, orgId);
    expect(await until(() => received.length > 0)).toBeLessThan(BUSY_MS);
    expect(feed.age).toBeLessThan(BUSY_MS);
  });

  it('becomes stale while no poll is answered', async () => {
    const { feed, governed } = await replica({ listen: false, pollIntervalMs: 50 });
    await feed.watch(randomUUID());
    governed.global = () => new Promise(() => undefined);
    await new Promise(done => setTimeout(done, 700));
    expect(feed.age).toBeGreaterThan(500);
  });

  it('does not delay anybody for the slow reload of another organization', async () => {
    const one = await replica({ listen: false, pollIntervalMs: 20 });
    const [slow, quick] = [randomUUID(), randomUUID()];
    const received: string[] = [];
    const { promise: passed, resolve: letOn } = Promise.withResolvers<void>();
    one.feed.subscribe('things', async orgId => {
      if (orgId === slow) await passed;
      received.push(orgId);
    });
    await one.feed.watch(slow);
    await one.feed.watch(quick);
    await change(one, slow);
    await one.feed.refresh(quick);
    await change(one, quick);
    // The refresh of the slow organization waits until it reaches its time limit.
    const refreshed = [slow, quick].map(orgId => one.feed.refresh(orgId).then(() => orgId));
    expect(await Promise.race(refreshed)).toBe(quick);
    expect(received).toEqual([quick]);
    letOn();
    await until(() => received.length === 2);
    expect(received).toEqual([quick, slow]);
  });

  it('never calls a handler while an earlier call for the same organization is running', async () => {
    const one = await replica({ listen: false, pollIntervalMs: 10 });
    const orgId = randomUUID();
    let atWork = 0;
    let most = 0;
    let known = 0;
    one.feed.subscribe('things', async (_org, version) => {
      most = Math.max(most, ++atWork);
      await new Promise(done => setTimeout(done, 100));
      atWork--;
      known = version;
    });
    await one.feed.watch(orgId);
    for (let round = 0; round < 5; round++) {
      await change(one, orgId);
      await new Promise(done => setTimeout(done, 30));
    }
    await until(() => known === 5);
    expect({ most, known }).toEqual({ most: 1, known: 5 });
  });

  it('reports nothing for organizations that nobody watches', async () => {
    const one = await replica({});
    const received: string[] = [];
    one.feed.subscribe('things', orgId => void received.push(orgId));
    await change(one, randomUUID());
    await one.feed.refresh();
    expect(received).toEqual([]);
  });
});

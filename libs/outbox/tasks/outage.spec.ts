import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.js';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import { laneName, pass, Replicas, until } from '../testing/replica.js';
import { ScriptedLane, type LaneScript } from '../testing/scripted.lane.js';

describe('while the database is away', () => {
  let tests: TestDatabase;
  let proxy: TcpProxy;
  const orgId = randomUUID();
  const replicas = new Replicas(() => tests.url);

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    const { port, hostname } = new URL(tests.url);
    proxy = await startTcpProxy(Number(port), hostname);
  });

  afterEach(() => replicas.end());

  afterAll(async () => {
    await proxy.close();
    await tests.drop();
  });

  /** A replica that reaches the database through the proxy, with twenty attempts that wait to end. */
  async function atWork(script: LaneScript = {}) {
    const { passed, open } = replicas.gate();
    const lane = new ScriptedLane(laneName(), { slots: 60, perform: () => passed, ...script });
    const url = new URL(tests.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const replica = await replicas.start([lane], { pollIntervalMs: 200, database: { url: url.href } });
    const ids = await replica.add(orgId, lane.name, ...Array.from({ length: 20 }, (_, at) => `k${at}`));
    await until(() => lane.atWork === 20);
    return { lane, replica, ids, open };
  }

  const left = async (lane: string): Promise<number> =>
    (await tests.asOwner('select 1 from governance.tasks where lane = $1', [lane])).length;

  it('outcomes are kept, and written once when it is back, also where their leases have run out', async () => {
    const { lane, replica, ids, open } = await atWork({ leaseMs: 1_000 });
    await proxy.refuse();
    proxy.cut();
    open();
    // Longer than the leases, and soon after a try to write: a claim would come before the next one.
    await pass(1_900);
    expect([lane.settled.length, replica.worker.running]).toEqual([0, 20]);
    await proxy.accept();
    await until(() => lane.settled.length >= 20);
    await until(() => replica.worker.running === 0);
    expect(lane.settled.toSorted()).toEqual(ids.toSorted());
    expect(lane.begun).toHaveLength(20);
    expect(await left(lane.name)).toBe(0);
  });

  it('and its connections are terminated in the middle of writing, every outcome is written in the end', async () => {
    const { lane, replica, ids, open } = await atWork({ settle: () => pass(200) });
    open();
    await pass(100);
    await tests.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'nest-llm-governance' and datname = current_database()`,
    );
    await until(async () => (await left(lane.name)) === 0);
    await until(() => replica.worker.running === 0);
    expect(new Set(lane.settled)).toEqual(new Set(ids));
    expect(lane.begun).toHaveLength(20);
  });

  it('for one organization alone, as behind a lock, the others go on', async () => {
    const lock = replicas.gate();
    const other = randomUUID();
    const { lane, replica, ids, open } = await atWork({
      settle: async settled => {
        if (settled.some(({ task }) => task.orgId === orgId)) await lock.passed;
      },
    });
    open();
    await pass(100);
    const begun = performance.now();
    for (let round = 0; round < 5; round++) {
      const [id] = await replica.add(other, lane.name, `other ${round}`);
      await until(() => lane.settled.includes(id ?? ''));
    }
    expect(performance.now() - begun).toBeLessThan(5_000);
    lock.open();
    await until(() => ids.every(id => lane.settled.includes(id)));
  });

  it('for one organization alone, with errors that look like an outage, the others go on', async () => {
    let isBroken = true;
    const other = randomUUID();
    const { lane, replica, ids, open } = await atWork({
      settle: settled => {
        if (!isBroken || settled.every(({ task }) => task.orgId !== orgId)) return;
        throw Object.assign(new Error('could not obtain lock'), { code: '55P03' });
      },
    });
    open();
    await pass(100);
    const [id] = await replica.add(other, lane.name, 'other');
    await until(() => lane.settled.includes(id ?? ''), 3_000);
    isBroken = false;
    await until(() => ids.every(one => lane.settled.includes(one)));
  });

  it('loading waits; what was claimed is performed once it is back', async () => {
    let isDown = true;
    const { lane, ids, open } = await atWorkAfter(async () => {
      if (isDown) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
    });
    await pass(500);
    expect(lane.begun).toEqual([]);
    // Waiting is no fault of the task.
    expect(await tests.asOwner('select faults from governance.tasks where id = $1', [ids[0]])).toEqual([{ faults: 0 }]);
    isDown = false;
    open();
    await until(() => lane.settled.length === ids.length);
    expect(lane.begun.map(task => task.interruptions)).toEqual([0]);
  });

  async function atWorkAfter(load: () => Promise<void>) {
    const lane = new ScriptedLane(laneName(), { load });
    const replica = await replicas.start([lane], { pollIntervalMs: 50 });
    return { lane, ids: await replica.add(orgId, lane.name, 'k'), open: () => undefined };
  }

  it('outcomes wait for their lease at most: stopping gives them up, and another worker takes the tasks over', async () => {
    const { lane, replica, open } = await atWork({ leaseMs: 1_000 });
    await proxy.refuse();
    proxy.cut();
    open();
    const stopped = replica.worker.stop();
    const next = new ScriptedLane(lane.name);
    await replicas.start([next], { pollIntervalMs: 50 });
    await until(() => next.settled.length === 20);
    await proxy.accept();
    await stopped;
    expect(lane.settled).toEqual([]);
    expect(next.begun.every(task => task.interruptions === 1)).toBe(true);
  });

  it('work goes on by itself when it is back', async () => {
    const { lane, replica, open } = await atWork();
    open();
    await until(() => replica.worker.running === 0);
    await proxy.refuse();
    proxy.cut();
    await pass(500);
    await proxy.accept();
    const helper = await replicas.start();
    await helper.add(orgId, lane.name, 'late');
    expect(await until(() => lane.settled.length === 21)).toBeLessThan(5_000);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.js';
import { outboxSuite } from '../../../test/support/outbox-suite.js';
import { pass, queueName, until } from '../testing/replica.js';
import { ScriptedJob, type JobScript } from '../testing/scripted.job.js';

/**
 * Time limit for work that takes less than a second. It allows for a busy machine. A blocked task would exceed the time
 * limit of the test.
 */
const BUSY_MS = 30_000;

describe('in an outage of the database', () => {
  let proxy: TcpProxy;
  const { tests, replicas, orgId } = outboxSuite();

  beforeAll(async () => {
    const { port, hostname } = new URL(tests.url);
    proxy = await startTcpProxy(Number(port), hostname);
  });

  afterAll(() => proxy.close());

  /** A replica that reaches the database through the proxy. Twenty of its attempts are running and wait for `open`. */
  async function atWork(script: JobScript = {}) {
    const { passed, open } = replicas.gate();
    const job = new ScriptedJob(queueName(), { slots: 60, perform: () => passed, ...script });
    const url = new URL(tests.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const replica = await replicas.start([job], { pollIntervalMs: 200, database: { url: url.href } });
    const ids = await replica.add(orgId, job.name, ...Array.from({ length: 20 }, (_, at) => `k${at}`));
    await until(() => job.atWork === 20);
    return { job, replica, ids, open };
  }

  const left = async (queue: string): Promise<number> =>
    (await tests.asOwner('select 1 from governance.tasks where queue = $1', [queue])).length;

  it('outcomes are kept and written once after it, even if their leases have expired', async () => {
    const { job, replica, ids, open } = await atWork({ leaseMs: 1_000 });
    await proxy.refuse();
    proxy.cut();
    open();
    // The pause exceeds the leases. It ends just after a failed write, so that a claim would come before the next
    // write.
    await pass(1_900);
    expect([job.settled.length, replica.worker.running]).toEqual([0, 20]);
    await proxy.accept();
    await until(() => job.settled.length >= 20);
    await until(() => replica.worker.running === 0);
    expect(job.settled.toSorted()).toEqual(ids.toSorted());
    expect(job.begun).toHaveLength(20);
    expect(await left(job.name)).toBe(0);
  });

  it('every outcome is written when connections are terminated during the write', async () => {
    const { job, replica, ids, open } = await atWork({ settle: () => pass(200) });
    open();
    await pass(100);
    await tests.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'nest-llm-governance' and datname = current_database()`,
    );
    await until(async () => (await left(job.name)) === 0);
    await until(() => replica.worker.running === 0);
    expect(new Set(job.settled)).toEqual(new Set(ids));
    expect(job.begun).toHaveLength(20);
  });

  it('of one organization only, as behind a lock, other organizations continue', async () => {
    const lock = replicas.gate();
    const other = randomUUID();
    const { job, replica, ids, open } = await atWork({
      settle: async settled => {
        if (settled.some(({ task }) => task.orgId === orgId)) await lock.passed;
      },
    });
    open();
    await pass(100);
    const begun = performance.now();
    for (let round = 0; round < 5; round++) {
      const [id] = await replica.add(other, job.name, `other ${round}`);
      await until(() => job.settled.includes(id ?? ''));
    }
    expect(performance.now() - begun).toBeLessThan(BUSY_MS);
    lock.open();
    await until(() => ids.every(id => job.settled.includes(id)));
  });

  it('of one organization only, with errors that look like an outage, other organizations continue', async () => {
    let isBroken = true;
    const other = randomUUID();
    const { job, replica, ids, open } = await atWork({
      settle: settled => {
        if (!isBroken || settled.every(({ task }) => task.orgId !== orgId)) return;
        throw Object.assign(new Error('could not obtain lock'), { code: '55P03' });
      },
    });
    open();
    await pass(100);
    const [id] = await replica.add(other, job.name, 'other');
    await until(() => job.settled.includes(id ?? ''));
    isBroken = false;
    await until(() => ids.every(one => job.settled.includes(one)));
  });

  it('loading waits, and claimed tasks are performed after it', async () => {
    let isDown = true;
    const { job, ids, open } = await atWorkAfter(async () => {
      if (isDown) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
    });
    await pass(500);
    expect(job.begun).toEqual([]);
    // An outage of the database does not count as a fault of the task.
    expect(await tests.asOwner('select faults from governance.tasks where id = $1', [ids[0]])).toEqual([{ faults: 0 }]);
    isDown = false;
    open();
    await until(() => job.settled.length === ids.length);
    expect(job.begun.map(task => task.interruptions)).toEqual([0]);
  });

  async function atWorkAfter(load: () => Promise<void>) {
    const job = new ScriptedJob(queueName(), { load });
    const replica = await replicas.start([job], { pollIntervalMs: 50 });
    return { job, ids: await replica.add(orgId, job.name, 'k'), open: () => undefined };
  }

  it('a stop gives up outcomes when their leases expire, and another worker takes the tasks over', async () => {
    const { job, replica, open } = await atWork({ leaseMs: 1_000 });
    await proxy.refuse();
    proxy.cut();
    open();
    const stopped = replica.worker.stop();
    const next = new ScriptedJob(job.name);
    await replicas.start([next], { pollIntervalMs: 50 });
    await until(() => next.settled.length === 20);
    await proxy.accept();
    await stopped;
    expect(job.settled).toEqual([]);
    expect(next.begun.every(task => task.interruptions === 1)).toBe(true);
  });

  it('the workers stop, and continue after it without intervention', async () => {
    const { job, replica, open } = await atWork();
    open();
    await until(() => replica.worker.running === 0);
    await proxy.refuse();
    proxy.cut();
    await pass(500);
    await proxy.accept();
    const helper = await replicas.start();
    await helper.add(orgId, job.name, 'late');
    expect(await until(() => job.settled.length === 21)).toBeLessThan(BUSY_MS);
  });
});

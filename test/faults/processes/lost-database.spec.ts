import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { makeDataFolder } from '../../support/data-folder.js';
import { startEmbeddedPostgres, type RunningPostgres } from '../../../apps/standalone/embedded-postgres.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import type { TestDatabase } from '../../support/test-postgres.js';
import { IS_FULL, report, sleep, until } from './chance.js';
import { interruptions } from './ledger.js';
import { openGate, type PostgresGate } from './postgres-gate.js';
import { setStage, type Stage } from './stage.js';

const WORKING_AGAIN_WITHIN_MS = 15_000;
const UNNOTIFIED_EVENTS = IS_FULL ? 10 : 5;
/** The application name of the listening connection. */
const LISTENER = 'nest-llm-governance listen';

const folder = makeDataFolder('governance-lost');
let server: RunningPostgres;
let gate: PostgresGate;
let proxy: TcpProxy;
let database: TestDatabase;
let stage: Stage;
let fired = 0;

beforeAll(async () => {
  server = await startEmbeddedPostgres(folder);
  gate = await openGate(server.port);
  const gatePort = Number(new URL(gate.urlFor(server.url)).port);
  proxy = await startTcpProxy(gatePort);
  const url = new URL(server.url);
  url.port = String(proxy.port);
  database = ownDatabase(url.href);
  stage = await setStage({ testDatabase: database });
  await stage.webhook();
  await stage.worker({ name: 'Worker' });
});

afterAll(async () => {
  await stage?.close();
  await database?.drop();
  await proxy?.close();
  await gate?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A database on the server of this test. Each statement opens a new connection, because the server is restarted. */
function ownDatabase(url: string): TestDatabase {
  return {
    url,
    async asOwner<Row extends object>(sql: string, parameters: unknown[] = []) {
      const client = new pg.Client({ connectionString: gate.urlFor(server.url) });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query<Row>(sql, parameters)).rows;
      } finally {
        await client.end();
      }
    },
    drop: async () => undefined,
  };
}

/** Fires an event every 50 ms until stopped. An event that could not be committed does not count. */
function fireOn(): { stop(): Promise<void> } {
  const over = new AbortController();
  const running = (async () => {
    while (!over.signal.aborted) {
      await stage.fire(1).then(() => (fired += 1), () => undefined); // prettier-ignore
      await sleep(50);
    }
  })();
  return {
    stop: () => {
      over.abort();
      return running;
    },
  };
}

/** Milliseconds until the next request arrives. */
async function untilNextPost(withinMs: number): Promise<number> {
  const begun = performance.now();
  await stage.endpoint.reach(stage.endpoint.requestCount + 1, withinMs);
  return performance.now() - begun;
}

async function expectNothingLost(): Promise<void> {
  await stage.untilIdle(45_000);
  const ledger = await stage.ledger();
  const arrived = new Map<string, number>();
  for (const { headers } of stage.endpoint.requests) {
    const id = String(headers['webhook-id']);
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
  }
  // There may be more deliveries than counted events: an event whose commit was not confirmed does not count, but may
  // be stored.
  expect(ledger.length).toBeGreaterThanOrEqual(fired);
  for (const delivery of ledger) {
    expect(delivery.status).toBe('delivered');
    expect(arrived.get(delivery.eventId)).toBeGreaterThanOrEqual(1);
    expect(arrived.get(delivery.eventId)).toBeLessThanOrEqual(1 + interruptions(delivery).length);
  }
}

describe('a worker whose database goes down', () => {
  it.each([
    ['is stopped', 'SIGINT'],
    ['crashes', 'SIGQUIT'],
  ] as const)(
    'works again within five seconds when the database is back after it %s, and loses nothing',
    async (_how, signal) => {
      const firing = fireOn();
      await untilNextPost(10_000);
      await sleep(1_000);
      if (signal === 'SIGINT') await server.stop();
      else await crash();
      await sleep(3_000);
      server = await startEmbeddedPostgres(folder);
      gate.leadTo(server.port);
      const backAfterMs = await untilNextPost(20_000);
      await sleep(2_000);
      await firing.stop();
      report('database restarted', { signal, backAfterMs, fired });
      expect(backAfterMs).toBeLessThan(WORKING_AGAIN_WITHIN_MS);
      await expectNothingLost();
    },
    120_000,
  );

  it('works again within five seconds after the network drops all packets for a while', async () => {
    const firing = fireOn();
    await untilNextPost(10_000);
    proxy.freeze();
    await sleep(12_000);
    proxy.thaw();
    const backAfterMs = await untilNextPost(20_000);
    await firing.stop();
    report('network frozen', { backAfterMs, fired });
    expect(backAfterMs).toBeLessThan(WORKING_AGAIN_WITHIN_MS);
    await expectNothingLost();
  });

  it('keeps working while the listening connection is half open', async () => {
    // Freezes the listening connections of the worker and of the host.
    expect(gate.silence(LISTENER)).toBeGreaterThanOrEqual(2);
    const waited: number[] = [];
    for (let event = 0; event < UNNOTIFIED_EVENTS; event++) {
      // Waits longer than any polling interval of the worker.
      await sleep(1_500);
      const begun = performance.now();
      const before = stage.endpoint.requestCount;
      await stage.fire(1);
      fired += 1;
      await stage.endpoint.reach(before + 1, 10_000);
      waited.push(Math.round(performance.now() - begun));
    }
    report('half-open listener', { waitedMs: waited });
    expect(Math.max(...waited)).toBeLessThan(WORKING_AGAIN_WITHIN_MS);
    // The worker was too slow for a notification, so it found the task by polling.
    expect(Math.max(...waited)).toBeGreaterThan(200);
    await until('nothing waits', 5_000, async () =>
      (await stage.ledger()).every(({ status }) => status === 'delivered'),
    );
    await expectNothingLost();
  });
});

/** Crashes the server as a power failure does. The next start recovers from the log. */
async function crash(): Promise<void> {
  const [row] = await database.asOwner<{ pid: string }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid`,
  );
  process.kill(Number(row?.pid), 'SIGQUIT');
  await server.lost;
}

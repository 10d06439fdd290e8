import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import { askOnce } from './ask-once.js';
import { startBalancer, type Balancer } from './balancer.js';
import { startBundledApp } from './bundled-app.js';
import { IS_FULL, report, sleep, until } from './chance.js';
import { setStage, type Stage } from './stage.js';

const CLIENTS = 4;
/** Pause between two requests of a client. It leaves CPU time for the start of replicas. */
const PAUSE_MS = 40;
/** Number of times that each replica is replaced. */
const ROUNDS = IS_FULL ? 10 : 1;
/** Longer than a probe takes to notice that a replica stops. */
const DRAIN_SECONDS = '3';

let stage: Stage;
let balancer: Balancer;
const living = new Map<string, StandaloneProcess>();

beforeAll(async () => {
  stage = await setStage();
  balancer = await startBalancer();
});

afterAll(async () => {
  for (const app of living.values()) await app.end('SIGKILL');
  await balancer?.close();
  await stage?.close();
});

/** Starts a replica. Resolves when the replica gets requests. */
async function start(name: string): Promise<void> {
  const app = await startBundledApp(stage, undefined, { GOVERNANCE_DRAIN_SECONDS: DRAIN_SECONDS });
  living.set(name, app);
  balancer.add(name, app.url);
  await until(`${name} is ready`, 60_000, () => balancer.isReady(name));
}

/** Stops a replica as an orchestrator does. Resolves with the exit code. */
async function stop(name: string): Promise<number | null> {
  const ended = await living.get(name)?.end('SIGTERM');
  living.delete(name);
  balancer.remove(name);
  return ended?.code ?? null;
}

describe('two replicas behind a load balancer that checks readiness', () => {
  it(
    'answer every request while they are replaced one after the other',
    async () => {
      await stage.app.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' });
      await Promise.all([start('A0'), start('B0')]);
      const failures: string[] = [];
      let answered = 0;
      const over = new AbortController();
      const clients = Array.from({ length: CLIENTS }, async (_, client) => {
        for (let turn = client; !over.signal.aborted; turn++) {
          const failure = await (turn % 2 === 0 ? decide() : ask('GET', '/v1/policies'));
          if (failure === undefined) answered += 1;
          else failures.push(failure);
          await sleep(PAUSE_MS);
        }
      });
      const exits: (number | null)[] = [];
      try {
        for (let round = 0; round < ROUNDS; round++) {
          for (const replica of ['A', 'B']) {
            const before = balancer.sent.get(`${replica}${round}`) ?? 0;
            await until(
              'each replica has work',
              30_000,
              () => (balancer.sent.get(`${replica}${round}`) ?? 0) > before + 5,
            );
            exits.push(await stop(`${replica}${round}`));
            await start(`${replica}${round + 1}`);
          }
        }
        const last = answered;
        await until('the new replicas have answered', 30_000, () => answered > last + 20);
      } finally {
        over.abort();
        await Promise.all(clients);
      }
      report('rolling restart', { answered, failures: failures.length, sent: Object.fromEntries(balancer.sent) });
      expect(failures).toEqual([]);
      expect(exits).toEqual(exits.map(() => 0));
      expect(balancer.sent.size).toBe(2 * (ROUNDS + 1));
    },
    IS_FULL ? 600_000 : 180_000,
  );
});

function decide(): Promise<string | undefined> {
  return ask('POST', '/v1/decisions', { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' });
}

function ask(method: string, path: string, body?: object): Promise<string | undefined> {
  return askOnce(balancer.url, stage.app.adminToken, method, path, body);
}

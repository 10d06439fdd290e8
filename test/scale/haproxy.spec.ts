import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askOnce } from '../faults/processes/ask-once.js';
import { startBundledApp } from '../faults/processes/bundled-app.js';
import { report, sleep, until } from '../faults/processes/chance.js';
import { setStage, type Stage } from '../faults/processes/stage.js';
import { freePort } from '../support/debian-programs.js';
import { describeWhere } from '../support/describe-where.js';
import { HAPROXY, startHaproxy, type LoadBalancer } from '../support/haproxy.js';
import type { StandaloneProcess } from '../support/standalone-process.js';

const CLIENTS = 4;
/** Pause between two requests of a client, because the machine also starts replicas. */
const PAUSE_MS = 40;
const WITHIN_MS = 60_000;

describeWhere(HAPROXY === undefined && 'no HAProxy', 'two replicas behind HAProxy with the sample of deploy', () => {
  let stage: Stage;
  let balancer: LoadBalancer;
  let ports: [number, number];
  const living = new Map<number, StandaloneProcess>();

  beforeAll(async () => {
    stage = await setStage();
    await stage.app.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' });
    ports = [await freePort(), await freePort()];
    balancer = await startHaproxy(ports);
    await Promise.all(ports.map(start));
    await untilReady(2);
  });

  afterAll(async () => {
    for (const app of living.values()) await app.end('SIGKILL');
    await balancer?.stop();
    await stage?.close();
  });

  async function start(port: number): Promise<void> {
    const settings = {
      PORT: String(port),
      GOVERNANCE_DRAIN_SECONDS: '3',
      GOVERNANCE_TRUSTED_PROXIES: '127.0.0.1',
      GOVERNANCE_METRICS: 'true',
    };
    living.set(port, await startBundledApp(stage, undefined, settings));
  }

  const untilReady = (count: number): Promise<void> =>
    until(`HAProxy sees ${count} ready replicas`, WITHIN_MS, async () => (await balancer.ready()) === count);

  const ask = (method: string, path: string, body?: object): Promise<string | undefined> =>
    askOnce(balancer.url, stage.app.adminToken, method, path, body);

  const decide = (): Promise<string | undefined> =>
    ask('POST', '/v1/decisions', { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' });

  it('answer every request while they are replaced one after the other', async () => {
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
    const exits: (number | null | undefined)[] = [];
    try {
      for (const port of ports) {
        const begun = answered;
        await until('the clients have answers', WITHIN_MS, () => answered > begun + 20);
        exits.push((await living.get(port)?.end('SIGTERM'))?.code);
        await untilReady(1);
        await start(port);
        await untilReady(2);
      }
      const last = answered;
      await until('the new replicas have answered', WITHIN_MS, () => answered > last + 20);
    } finally {
      over.abort();
      await Promise.all(clients);
    }
    report('rolling restart behind HAProxy', { answered, failures: failures.length });
    expect(failures).toEqual([]);
    expect(exits).toEqual([0, 0]);
  });

  it('do not expose metrics', async () => {
    expect((await fetch(`${balancer.url}/metrics`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${ports[0]}/metrics`)).status).toBe(200);
  });
});

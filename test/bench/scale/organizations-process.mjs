// Decides in process for many organizations of one database. Measures boot time, memory and latency.
import { performance } from 'node:perf_hooks';
import { DecisionService } from '../../../dist/libs/policy/index.js';
import { startApp } from '../support/server.mjs';

let server;
let decisions;
let orgIds;
let next = 0;

const work = {
  async start(details) {
    ({ orgIds } = details);
    const begun = performance.now();
    server = await startApp(process.argv[2], { listen: false, outbox: { workers: false } });
    decisions = server.app.get(DecisionService);
    await decide(orgIds[0]);
    return { boot: performance.now() - begun, rss: process.memoryUsage().rss };
  },
  /** Measures the first decision of each organization. */
  async firsts() {
    const times = [];
    for (const orgId of orgIds) times.push(await decide(orgId));
    globalThis.gc();
    const { rss, heapUsed } = process.memoryUsage();
    return { times, rss, heap: heapUsed };
  },
  /** Measures decisions of all organizations in turn. */
  async laters({ count }) {
    const times = [];
    for (let n = 0; n < count; n++) times.push(await decide(orgIds[next++ % orgIds.length]));
    return { times };
  },
  async stop() {
    await server.stop();
    setImmediate(() => process.exit(0));
  },
};
process.on('message', ({ what, ...details }) => {
  void work[what](details).then(result => (result === undefined ? undefined : process.send(result)));
});

async function decide(orgId) {
  const request = { user_email: 'u1@people.example', provider: 'openai', model: 'model-1' };
  const begun = performance.now();
  const answer = await decisions.decide(orgId, request, { caller: { tokenId: undefined } });
  if (answer.action !== 'allow') throw new Error(answer.reason);
  return performance.now() - begun;
}

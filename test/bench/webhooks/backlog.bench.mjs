// A hundred thousand waiting deliveries: how fast the app sends them as the backlog shrinks, how much memory it takes,
// and whether each endpoint receives the oldest deliveries first.
import { setTimeout as sleep } from 'node:timers/promises';
import { startRig } from './support/rig.mjs';
import { perSecond, row } from '../support/row.mjs';

const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 100_000);
const ENDPOINTS = 10;
/** Parallel requests to one endpoint. */
const WINDOW = 16;
/**
 * How far events may arrive out of order: requests on open connections overtake a request that waits for a new
 * connection.
 */
const OVERTAKING = 2 * WINDOW;
const WARM_UP = 2_000;
const STEPS = 10;
const LIMIT_SECONDS = Number(process.env.BENCH_LIMIT_SECONDS ?? 300);
const MIB = 2 ** 20;

const rig = await startRig({ ports: ENDPOINTS });
const webhooks = [];
for (const origin of rig.origins) webhooks.push(await rig.addWebhook(`${origin}/hook`));
const options = { webhooks: { concurrencyPerWebhook: WINDOW } };
const worker = await rig.startWorker(options, { execArgv: ['--expose-gc'] });

await rig.fire(WARM_UP / ENDPOINTS);
await rig.receiver.ask('reach', WARM_UP);
await rig.drained();
await rig.pause(webhooks);
await rig.fire(DELIVERIES / ENDPOINTS);
await rig.receiver.ask('reset', { isKept: true });
await worker.ask('collect');
await rig.resetStatements();

const start = await worker.ask('usage');
const most = { heapUsed: start.heapUsed, rss: start.rss };
console.log(`${DELIVERIES} waiting deliveries to ${ENDPOINTS} endpoints, one process`);
console.log('  delivered   deliveries/s   live heap MiB   RSS MiB');
const begun = performance.now();
await rig.resume(webhooks);
const rates = [];
let before = { count: 0, at: begun };
while (before.count < DELIVERIES && performance.now() - begun < LIMIT_SECONDS * 1_000) {
  await sleep(100);
  most.rss = Math.max(most.rss, (await worker.ask('usage')).rss);
  const { count } = await rig.receiver.ask('state');
  if (count < before.count + DELIVERIES / STEPS && count < DELIVERIES) continue;
  const at = performance.now();
  const rate = ((count - before.count) * 1_000) / (at - before.at);
  rates.push(rate);
  before = { count, at };
  await worker.ask('collect');
  const { heapUsed, rss } = await worker.ask('usage');
  most.heapUsed = Math.max(most.heapUsed, heapUsed);
  console.log(
    `  ${String(count).padStart(9)}   ${String(Math.round(rate)).padStart(12)}   ` +
      `${mib(heapUsed).padStart(13)}   ${mib(rss).padStart(7)}`,
  );
}
if (before.count === DELIVERIES) await rig.drained();
else console.log(`  ended after ${LIMIT_SECONDS} s`);
const { count } = await rig.receiver.ask('state');
const seconds = (performance.now() - begun) / 1_000;
const { overtaken, farthest } = orderOf(await rig.receiver.ask('log'));
console.log(
  `  ${Math.round(count / seconds)} deliveries/s in all, the last tenth ${(rates.at(-1) / rates[0]).toFixed(2)} of the first`,
);
row({
  figure: `backlog of ${DELIVERIES} deliveries, last tenth beside the first`,
  ours: perSecond(rates.at(-1), 'deliveries'),
  peer: perSecond(rates[0], 'deliveries'),
  ratio: rates.at(-1) / rates[0],
});
console.log(
  `  live heap at most ${mib(most.heapUsed - start.heapUsed)} MiB above the start, RSS ${mib(most.rss - start.rss)} MiB`,
);
console.log(
  `  ${overtaken} arrived more than ${OVERTAKING} places behind a younger one of their endpoint, ${farthest} at most (target: 0)`,
);
await rig.printStatements(12);
await worker.stop();
await rig.stop();

/** Counts events that an endpoint received after an event that was fired much later. */
function orderOf({ server, number }) {
  const youngest = Array.from({ length: ENDPOINTS }, () => -1);
  let overtaken = 0;
  let farthest = 0;
  for (const [at, value] of number.entries()) {
    const behind = youngest[server[at]] - value;
    if (behind > OVERTAKING) overtaken++;
    farthest = Math.max(farthest, behind);
    youngest[server[at]] = Math.max(youngest[server[at]], value);
  }
  return { overtaken, farthest };
}

function mib(bytes) {
  return (bytes / MIB).toFixed(0);
}

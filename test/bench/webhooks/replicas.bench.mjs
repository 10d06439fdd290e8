// One, two and four processes that deliver from one database: how fast, and whether each delivery is sent exactly once.
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../support/server.mjs';
import { startRig } from './support/rig.mjs';
import { perSecond, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 10_000);
const REPLICAS = [1, 2, 4];
const WEBHOOKS = 4;
const WARM_UP = 400;
/** If a delivery were sent twice, the second POST would arrive within this time. */
const SILENCE_MS = 500;

const rig = await startRig({ ports: WEBHOOKS });
const webhooks = [];
for (const origin of rig.origins) webhooks.push(await rig.addWebhook(`${origin}/hook`));

const rates = new Map(REPLICAS.map(replicas => [replicas, []]));
let posts = 0;
let distinct = 0;
for (let round = 0; round < ROUNDS; round++) {
  for (const replicas of REPLICAS) {
    const workers = await Promise.all(Array.from({ length: replicas }, () => rig.startWorker()));
    await drain(WARM_UP * replicas);
    rates.get(replicas).push(DELIVERIES / (await drain(DELIVERIES)));
    const { id, server } = await rig.receiver.ask('log');
    posts += id.length;
    distinct += new Set(id.map((value, at) => `${value} ${server[at]}`)).size;
    await Promise.all(workers.map(worker => worker.stop()));
  }
}
console.log(`${DELIVERIES} deliveries to ${WEBHOOKS} webhooks, delivered by several processes on one database`);
const alone = median(rates.get(1));
for (const [replicas, all] of rates) {
  const rate = median(all);
  console.log(
    `  ${replicas}   ${String(Math.round(rate)).padStart(6)} deliveries/s   ${(rate / alone).toFixed(2)} of one`,
  );
  row({
    figure: `deliveries of ${replicas} replicas on one machine, beside one`,
    ours: perSecond(rate, 'deliveries'),
    peer: perSecond(alone, 'deliveries'),
    ratio: rate / alone,
  });
}
const expected = ROUNDS * REPLICAS.length * DELIVERIES;
const isExact = posts === expected && distinct === expected;
console.log(`  ${expected} deliveries, ${posts} POSTs, ${distinct} of them distinct (target: as many of each)`);
if (!isExact) process.exitCode = 1;
await rig.stop();

/** Seconds from enabling the webhooks until every result is written. */
async function drain(deliveries) {
  await rig.pause(webhooks);
  await rig.fire(deliveries / WEBHOOKS);
  await rig.receiver.ask('reset', { isKept: true });
  const begun = performance.now();
  await rig.resume(webhooks);
  await rig.receiver.ask('reach', deliveries);
  await rig.drained();
  const seconds = (performance.now() - begun) / 1_000;
  await sleep(SILENCE_MS);
  return seconds;
}

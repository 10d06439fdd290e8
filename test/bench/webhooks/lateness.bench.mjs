// How late a retry comes that is due one second after a failed attempt. For ours: from the failed answer to the next
// request. For graphile-worker and pg-boss: from the time at which a job is due, a second after it was added, to the
// call of its code. One PostgreSQL; the engines take turns without other work. Each engine gets a new job every 50 ms.
// That also wakes graphile-worker and hides some of its polling interval.
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../support/server.mjs';
import { startHelper } from './support/helper.mjs';
import { startRig } from './support/rig.mjs';
import { ms, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const JOBS = Number(process.env.BENCH_JOBS ?? 80);
const EVERY_MS = 50;
const DELAY_MS = 1_000;
const TARGET_MS = 50;

const rig = await startRig();
await rig.addWebhook(`${rig.origins[0]}/hook`);
await rig.receiver.ask('behave', { 0: 'fail first' });
const worker = await rig.startWorker();
const peers = startHelper('peer-process.mjs');

const PEERS = {
  'graphile-worker, polling each 100 ms': { engine: 'graphile', pollMs: 100 },
  'graphile-worker, as it comes (2 s)': { engine: 'graphile' },
  'pg-boss, polling each 500 ms': { engine: 'boss', pollMs: 500 },
  'pg-boss, as it comes (2 s)': { engine: 'boss' },
};
const lateness = new Map([['ours', []], ...Object.keys(PEERS).map(name => [name, []])]);
for (let round = -1; round < ROUNDS; round++) {
  for (const name of lateness.keys()) {
    const found = name === 'ours' ? await ours() : await theirs(PEERS[name]);
    if (round >= 0) lateness.get(name).push(...found);
  }
}

console.log(`Milliseconds between the time and what was to happen then, ${ROUNDS * JOBS} times each`);
for (const [name, all] of lateness) {
  const of = share => quantile(all, share).toFixed(1).padStart(7);
  console.log(`  ${name.padEnd(38)} p50 ${of(0.5)}   p95 ${of(0.95)}   p99 ${of(0.99)}   max ${of(1)}`);
}
const early = lateness.get('ours').filter(ms => ms < 0).length;
const p99 = quantile(lateness.get('ours'), 0.99);
const next = quantile(lateness.get('graphile-worker, polling each 100 ms'), 0.99);
row({
  figure: 'delay of a second attempt, p99 in ms, beside graphile-worker polling each 100 ms',
  ours: ms(p99, 1),
  peer: ms(next, 1),
  ratio: p99 / next,
  value: p99,
  atMost: TARGET_MS,
});
console.log(
  `  ours: p99 ${quantile(lateness.get('ours'), 0.99).toFixed(1)} ms (target: at most ${TARGET_MS} ms), ${early} early (target: 0)`,
);
await peers.end();
await worker.stop();
await rig.stop();

async function ours() {
  await rig.receiver.ask('reset', { isKept: true });
  for (let number = 0; number < JOBS; number++) {
    await rig.fire(1, { first: number });
    await sleep(EVERY_MS);
  }
  await rig.receiver.ask('reach', JOBS * 2);
  await rig.drained();
  const { at, id } = await rig.receiver.ask('log');
  const failedAt = new Map();
  const late = [];
  for (const [index, eventId] of id.entries()) {
    const before = failedAt.get(eventId);
    if (before === undefined) failedAt.set(eventId, at[index]);
    else late.push(at[index] - before - DELAY_MS);
  }
  return late;
}

function theirs(options) {
  return peers.ask('run', { url: rig.databaseUrl, jobs: JOBS, everyMs: EVERY_MS, delayMs: DELAY_MS, ...options });
}

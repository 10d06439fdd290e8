// The effect of hanging endpoints on others: the time from commit to arrival at healthy endpoints under a steady load.
// Each endpoint is a separate origin, in one of several organizations. Rounds with and without hanging endpoints
// alternate.
import { setTimeout as sleep } from 'node:timers/promises';
import { median, quantile } from '../support/server.mjs';
import { monotonicMs } from './support/clock.mjs';
import { startRig } from './support/rig.mjs';
import { ms, row } from '../support/row.mjs';

const ENDPOINTS = 100;
/** A divisor of 100, at least 20: each endpoint of an organization gets its own event type. */
const ORGANIZATIONS = Number(process.env.BENCH_ORGANIZATIONS ?? 100);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const PER_SECOND = Number(process.env.BENCH_RATE ?? 200);
/** Longer than the timeout of an attempt, so that timeouts and retries are included. */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 15);
const MANY = 50;
/**
 * If the p99 without hanging endpoints is above this limit, the machine is so busy that the p99 measures a queue and
 * not latency.
 */
const BUSY_MS = 500;
/** An event that arrives later than this counts as lost. */
const TIMEOUT_MS = 10_000;

const rig = await startRig({ ports: ENDPOINTS });
const organizations = [];
const endpointsEach = ENDPOINTS / ORGANIZATIONS;
for (let at = 0; at < ORGANIZATIONS; at++) {
  const origins = rig.origins.slice(at * endpointsEach, (at + 1) * endpointsEach);
  organizations.push(
    await rig.addOrganization(
      `Organization ${at}`,
      origins.map(origin => `${origin}/hook`),
    ),
  );
}
const worker = await rig.startWorker();
let next = 0;

await phase(0, 5);
await rig.resetStatements();
const none = { ofOne: [], ofMany: [] };
const one = [];
const many = [];
const cpuBefore = await rig.cpuTimes(worker);
const countBefore = next;
for (let round = 0; round < ROUNDS; round++) {
  const without = await phase(0, SECONDS);
  none.ofOne.push(figuresOf(without, 1));
  none.ofMany.push(figuresOf(without, MANY));
  one.push(figuresOf(await phase(1, SECONDS), 1));
}
const cpuAfter = await rig.cpuTimes(worker);
const cpuOf = who => Math.round(((cpuAfter[who] - cpuBefore[who]) * 1_000) / (next - countBefore));
await rig.printStatements(15);
many.push(figuresOf(await phase(MANY, SECONDS + 5), MANY));

console.log(`${ENDPOINTS} endpoints, ${PER_SECOND} deliveries a second in all: milliseconds from commit to arrival`);
print('none hangs, at 99', none.ofOne);
print('1 hangs, at the other 99', one);
print('none hangs, at 50', none.ofMany);
print('50 hang, at the other 50', many);
console.log(
  `  CPU ms per 1,000 deliveries: engine ${cpuOf('worker')}, postgres ${cpuOf('postgres')}, ` +
    `firing ${cpuOf('main')}, receiver ${cpuOf('receiver')}`,
);
const [calmest] = none.ofOne.map(({ p99 }) => p99).toSorted((a, b) => a - b);
if (calmest > BUSY_MS) console.log(`  with none hanging p99 is above ${BUSY_MS} ms: this machine is too busy to tell`);
const ratio = median(one.map(({ p99 }, round) => p99 / none.ofOne[round].p99));
const worst = median(many.map(({ p99 }) => p99));
console.log(`  p99 with 1 hanging: ${ratio.toFixed(2)} of that with none (target: at most 1.20)`);
console.log(`  p99 with ${MANY} hanging: ${Math.round(worst)} ms (target: at most 1,000 ms)`);
row({
  figure: 'p99 to healthy endpoints while one hangs, beside none',
  ours: ms(median(one.map(({ p99 }) => p99)), 1),
  peer: ms(median(none.ofOne.map(({ p99 }) => p99)), 1),
  ratio,
  atMost: 1.2,
});
row({
  figure: `p99 to healthy endpoints while ${MANY} of 100 hang, ms`,
  ours: ms(worst, 1),
  value: worst,
  atMost: 1_000,
});
await worker.stop();
await rig.stop();

function fire(number) {
  const endpoint = number % ENDPOINTS;
  return organizations[Math.floor(endpoint / endpointsEach)].fire(endpoint % endpointsEach, number);
}

/** Fires events at all endpoints in turn, the first of which hang. Resolves with the result of each event. */
async function phase(hanging, seconds) {
  const behave = how => Object.fromEntries(Array.from({ length: hanging }, (_, index) => [index, how]));
  await rig.receiver.ask('behave', behave('hang'));
  await rig.receiver.ask('reset', { isKept: true });
  const first = next;
  const fired = [];
  const begun = monotonicMs();
  const count = seconds * PER_SECOND;
  for (let done = 0; done < count;) {
    const due = Math.min(count, Math.floor(((monotonicMs() - begun) * PER_SECOND) / 1_000));
    for (; done < due; done++) fired.push(fire(next++));
    await sleep(1);
  }
  const committedAt = await Promise.all(fired);
  const healthy = count - Math.ceil((count * hanging) / ENDPOINTS);
  const until = monotonicMs() + TIMEOUT_MS;
  while (monotonicMs() < until && (await arrivals(hanging)) < healthy) await sleep(100);
  const arrived = arrivedAt(await rig.receiver.ask('log'), hanging);
  await rig.receiver.ask('behave', behave('answer'));
  // Drops deliveries that wait for a retry. Requests in flight end when the delayed answers are sent.
  await rig.sql(`delete from governance.tasks where lease_token is null`);
  await rig.drained();
  return committedAt.map((at, offset) => {
    const number = first + offset;
    return { endpoint: number % ENDPOINTS, ms: (arrived.get(number) ?? Infinity) - at };
  });
}

async function arrivals(from) {
  return (await rig.receiver.ask('state', { from })).fromCount;
}

/** The first arrival of each event at an endpoint that does not hang, by event number. */
function arrivedAt({ at, server, number }, hanging) {
  const arrived = new Map();
  for (const [index, value] of number.entries()) {
    if (server[index] >= hanging && !arrived.has(value)) arrived.set(value, at[index]);
  }
  return arrived;
}

/** Latencies of deliveries to the endpoints from index `first` on. */
function figuresOf(deliveries, first) {
  const times = deliveries.filter(({ endpoint }) => endpoint >= first).map(({ ms }) => ms);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), max: quantile(times, 1) };
}

function print(what, rounds) {
  const of = name =>
    median(rounds.map(round => round[name]))
      .toFixed(1)
      .padStart(7);
  console.log(`  ${what.padEnd(26)} p50 ${of('p50')}   p99 ${of('p99')}   max ${of('max')}`);
}

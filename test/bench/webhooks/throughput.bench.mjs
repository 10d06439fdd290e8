// Deliveries by the engine from a durable database, compared with a bare loop that posts the same bytes to the same
// receiver with the same number of parallel requests. Events are stored beforehand. Rounds alternate within one run.
import { median } from '../support/server.mjs';
import { startRig } from './support/rig.mjs';
import { perSecond, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 8_000);
const WEBHOOKS = Number(process.env.BENCH_WEBHOOKS ?? 4);
const CONCURRENCIES = (process.env.BENCH_CONCURRENCY ?? '32,64').split(',').map(Number);
/** The receiver's answer time in milliseconds: none, and as little as that of a receiver in the same region. */
const ANSWERS_AFTER = [0, 5];
/**
 * The bare loop is much faster than the engine. With the same number of requests, its run would be too short to
 * measure.
 */
const BARE_TIMES = 3;
const TARGET = 0.4;

const rig = await startRig();
const [origin] = rig.origins;
const url = `${origin}/hook`;
const webhooks = [];
for (let number = 0; number < WEBHOOKS; number++) webhooks.push(await rig.addWebhook(url));

console.log(`Deliveries of one process, ${WEBHOOKS} webhooks of one organization, one receiver over TLS`);
console.log(
  '  answer after   concurrency   bare POST/s   engine/s   ratio    CPU ms per 1,000: engine  postgres  receiver | bare  receiver',
);
const ratios = new Map(ANSWERS_AFTER.map(after => [after, []]));
for (const [after, concurrency] of ANSWERS_AFTER.flatMap(after => CONCURRENCIES.map(count => [after, count]))) {
  await rig.receiver.ask('behave', { 0: after === 0 ? 'answer' : after });
  const worker = await rig.startWorker({ webhooks: { concurrency, concurrencyPerWebhook: concurrency } });
  const sides = { bare: () => bare(worker, concurrency), engine: () => engine() };
  const results = { bare: [], engine: [] };
  for (let round = -1; round < ROUNDS; round++) {
    // The engine runs first and records its requests, which the bare loop then posts.
    for (const side of ['engine', 'bare']) {
      const result = await measured(worker, sides[side], side === 'bare' ? BARE_TIMES : 1);
      if (round >= 0) results[side].push(result);
      if (round === -1 && side === 'engine') await rig.resetStatements();
    }
  }
  const rate = side => median(results[side].map(({ seconds }) => DELIVERIES / seconds));
  const cpu = (side, who) => {
    const all = results[side].map(result => result[who]).filter(value => value !== undefined);
    return (all.length === 0 ? '–' : String(Math.round((median(all) * 1_000) / DELIVERIES))).padStart(8);
  };
  const ratio = median(results.engine.map(({ seconds }, at) => results.bare[at].seconds / seconds));
  ratios.get(after).push(ratio);
  row({
    figure: `deliveries, ${concurrency} parallel, receiver answers after ${after} ms, beside a bare loop`,
    ours: perSecond(rate('engine'), 'deliveries'),
    peer: perSecond(rate('bare'), 'requests'),
    ratio,
    atLeast: after === 0 ? 0.3 : 0.6,
  });
  console.log(
    `  ${String(after).padStart(9)} ms   ${String(concurrency).padStart(11)}   ${String(Math.round(rate('bare'))).padStart(11)}   ` +
      `${String(Math.round(rate('engine'))).padStart(8)}    ${ratio.toFixed(2)}    ${' '.repeat(14)}` +
      `${cpu('engine', 'worker')}  ${cpu('engine', 'postgres')}  ${cpu('engine', 'receiver')} | ` +
      `${cpu('bare', 'worker')}  ${cpu('bare', 'receiver')}`,
  );
  await rig.printStatements(12);
  await worker.stop();
}
for (const [after, found] of ratios) {
  const least = Math.min(...found).toFixed(2);
  console.log(`  ratio ${least} where the receiver answers after ${after} ms (target: at least ${TARGET.toFixed(2)})`);
}
await rig.stop();

/** Measures the time from enabling the webhooks until the result of every delivery is written. */
async function engine() {
  await rig.pause(webhooks);
  await rig.fire(DELIVERIES / WEBHOOKS);
  await rig.receiver.ask('reset');
  return async () => {
    const begun = performance.now();
    await rig.resume(webhooks);
    await rig.receiver.ask('reach', DELIVERIES);
    await rig.drained();
    return (performance.now() - begun) / 1_000;
  };
}

async function bare(worker, concurrency) {
  const { headers, body } = await rig.receiver.ask('sample');
  // The client sets these headers itself, so they are left out.
  const { host: _host, connection: _connection, 'content-length': _length, ...kept } = headers;
  const count = DELIVERIES * BARE_TIMES;
  return async () => (await worker.ask('bare', { url, count, concurrency, headers: kept, body })) / BARE_TIMES;
}

async function measured(worker, prepare, times = 1) {
  const run = await prepare();
  const before = await rig.cpuTimes(worker);
  const seconds = await run();
  const after = await rig.cpuTimes(worker);
  const spent = who => (before[who] === undefined ? undefined : (after[who] - before[who]) / times);
  return { seconds, worker: spent('worker'), postgres: spent('postgres'), receiver: spent('receiver') };
}

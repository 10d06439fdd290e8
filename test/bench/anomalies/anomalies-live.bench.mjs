// Live detection: one hour of usage of 25,000 people, each with four series (requests, tokens, cost, one model) and 90
// days of history. Measures the time of one pass, and the latency of decisions at a constant rate during it. Each round
// measures decisions alone and then during a pass. The ratio is the median of the rounds. Takes about four minutes.
//
// npm run bench -- anomalies-live
import { fork } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median, quantile } from '../support/server.mjs';
import { ms, row } from '../support/row.mjs';

const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 25_000);
const DAYS = Number(process.env.BENCH_DAYS ?? 90);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 4);
const RATE = Number(process.env.BENCH_RATE ?? 200);
/** Seconds in which each round measures decisions alone, and seconds after which no further round begins. */
const QUIET_S = 15;
const LAST_ROUND_S = 240;

const began = performance.now();
const server = await child();
await measureRound(3);
const rounds = [];
while (rounds.length < ROUNDS && performance.now() - began < LAST_ROUND_S * 1_000) {
  await server.ask('hour', { at: rounds.length });
  rounds.push(await measureRound(QUIET_S, () => server.ask('detect')));
  const { quiet, beside, pass, load } = rounds.at(-1);
  console.log(
    `  round ${rounds.length}: one pass ${pass.seconds.toFixed(1)} s; p99 ${quiet.toFixed(1)} ms without, ` +
      `${beside.toFixed(1)} ms beside; ratio ${(beside / quiet).toFixed(2)}; load of the machine ${load}`,
  );
}
const of = value => median(rounds.map(value));
console.log(`${4 * PEOPLE} series of ${PEOPLE} people with ${DAYS} days of history (${server.stateBytes} bytes each)`);
console.log(
  `  one pass            ${of(one => one.pass.seconds).toFixed(1)} s beside ${RATE} decisions/s (target: under 60)`,
);
console.log(`  CPU of the process  ${of(one => one.pass.cpuSeconds).toFixed(1)} s, decisions included`);
console.log(`  heap afterwards     ${rounds.map(({ pass }) => Math.round(pass.heapUsed / 2 ** 20)).join(', ')} MiB`);
console.log(`  alarms              ${rounds.at(-1).pass.alarms}`);
console.log(
  `  decisions' p99      ${of(one => one.quiet).toFixed(1)} ms without, ${of(one => one.beside).toFixed(1)} ms beside; ` +
    `ratio ${of(one => one.beside / one.quiet).toFixed(2)} (target: 1.2)`,
);
row({
  figure: `decisions' p99 beside detection over ${4 * PEOPLE} series, beside none`,
  ours: ms(
    of(one => one.beside),
    1,
  ),
  peer: ms(
    of(one => one.quiet),
    1,
  ),
  ratio: of(one => one.beside / one.quiet),
  atMost: 1.2,
});
await server.ask('stop');

/** Measures decisions for some seconds without other work, and then at the same rate while `work` runs. */
async function measureRound(seconds, work) {
  const times = { quiet: [], beside: [] };
  let phase = 'quiet';
  const load = autocannon({
    ...{ url: `${server.url}/v1/decisions`, method: 'POST', connections: 8, duration: 300, overallRate: RATE },
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_email: 'ada@people.example', provider: 'openai', model: 'gpt-4o' }),
  });
  load.on('response', (_client, _status, _bytes, milliseconds) => times[phase].push(milliseconds));
  await sleep(seconds * 1_000);
  phase = 'beside';
  const pass = await work?.();
  load.stop();
  await load;
  return {
    ...{ quiet: quantile(times.quiet, 0.99), beside: quantile(times.beside, 0.99), pass },
    load: loadavg()[0].toFixed(1),
  };
}

async function child() {
  const file = fileURLToPath(new URL('anomalies-live-server.mjs', import.meta.url));
  const process = fork(file, [String(PEOPLE), String(DAYS)], { execArgv: ['--expose-gc'] });
  const ended = new Promise((_, failed) =>
    process.once('exit', code => failed(new Error(`the server ended with ${code}`))),
  );
  ended.catch(() => undefined);
  const answer = () => Promise.race([new Promise(resolve => process.once('message', resolve)), ended]);
  const ask = async (what, details = {}) => {
    process.send({ what, ...details });
    return (await answer()).result;
  };
  return { ...(await answer()), ask };
}

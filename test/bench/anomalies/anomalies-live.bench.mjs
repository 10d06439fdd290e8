// The live detection: one hour of usage of 25,000 people, each with four series (requests, tokens, cost, one model) and 90
// days of history; the time of one pass, and the latency of decisions beside it at an even pace.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median } from '../support/server.mjs';

const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 25_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const RATE = Number(process.env.BENCH_RATE ?? 200);

let current;

for (const days of [90, 14]) {
  const server = await child(days);
  await decisions(2);
  const passes = [];
  const quiet = [];
  const beside = [];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push((await decisions(10)).latency.p99);
    await server.ask('hour', { at: round });
    const pass = server.ask('detect');
    const during = [];
    do during.push((await decisions(5)).latency.p99);
    while ((await Promise.race([pass, Promise.resolve()])) === undefined);
    beside.push(median(during));
    passes.push(await pass);
  }
  const seconds = median(passes.map(pass => pass.seconds));
  const series = 4 * PEOPLE;
  console.log(`${series} series of ${PEOPLE} people with ${days} days of history (${server.stateBytes} bytes each)`);
  console.log(`  one pass            ${seconds.toFixed(1)} s beside ${RATE} decisions/s (target: under 60)`);
  console.log(`  CPU of the process  ${median(passes.map(pass => pass.cpuSeconds)).toFixed(1)} s, decisions included`);
  console.log(`  heap afterwards     ${passes.map(pass => Math.round(pass.heapUsed / 2 ** 20)).join(', ')} MiB`);
  console.log(`  alarms              ${passes.at(-1).alarms}`);
  const [before, during] = [median(quiet), median(beside)];
  console.log(
    `  decisions' p99      ${before} ms without, ${during} ms beside; ratio ${(during / before).toFixed(2)} (target: 1.2)`,
  );
  await server.ask('stop');
}

function decisions(duration) {
  return autocannon({
    ...{ url: `${current.url}/v1/decisions`, method: 'POST', connections: 8, duration, overallRate: RATE },
    headers: { authorization: `Bearer ${current.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_email: 'ada@people.example', provider: 'openai', model: 'gpt-4o' }),
  });
}

async function child(days) {
  const file = fileURLToPath(new URL('anomalies-live-server.mjs', import.meta.url));
  const server = fork(file, [String(PEOPLE), String(days)], { execArgv: ['--expose-gc'] });
  const ended = new Promise((_, failed) =>
    server.once('exit', code => failed(new Error(`the server ended with ${code}`))),
  );
  ended.catch(() => undefined);
  const answer = () => Promise.race([new Promise(resolve => server.once('message', resolve)), ended]);
  const ask = async (what, details = {}) => {
    server.send({ what, ...details });
    return (await answer()).result;
  };
  current = { ...(await answer()), ask };
  return current;
}

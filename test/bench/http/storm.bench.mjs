// A storm: 10,000 violations of one policy by one user, distributed evenly over a minute, while 64 connections ask for
// decisions without violations. Compares the rate of these decisions with the same minute without the storm.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median } from '../support/server.mjs';
import { perSecond, row } from '../support/row.mjs';

const VIOLATIONS = Number(process.env.BENCH_VIOLATIONS ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 1);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 64);

const server = await child();
await others(2);
const rates = { before: [], storm: [] };
const latencies = [];
for (let round = 0; round < ROUNDS; round++) {
  rates.before.push((await others(SECONDS)).requests.average);
  const model = `storm-${round}`;
  const policyId = await server.ask('policy', { model });
  const [during, storm] = await Promise.all([others(SECONDS), violations(model)]);
  rates.storm.push(during.requests.average);
  // A machine too slow for the requested rate produces a smaller storm than requested.
  if (storm.duration > SECONDS * 1.2) console.log(`  the storm took ${storm.duration} s instead of ${SECONDS}`);
  latencies.push(storm.latency);
  const counts = await server.ask('count', { policyId });
  for (const [name, expected] of Object.entries({
    events: VIOLATIONS,
    incidents: 1,
    occurrences: VIOLATIONS,
    entered: VIOLATIONS,
  })) {
    if (counts[name] !== expected) throw new Error(`${counts[name]} ${name} instead of ${expected}`);
  }
}
await server.ask('stop');

const [before, storm] = [median(rates.before), median(rates.storm)];
console.log(`POST /v1/decisions, ${CONNECTIONS} connections, ${SECONDS} s`);
console.log(`  without a storm     ${Math.round(before)} requests/s`);
console.log(`  during a storm      ${Math.round(storm)} requests/s`);
console.log(`  ratio               ${(storm / before).toFixed(2)} (target: at least 0.50)`);
row({
  figure: 'decisions beside 10,000 violations a minute, beside none',
  ours: perSecond(storm, 'requests'),
  peer: perSecond(before, 'requests'),
  ratio: storm / before,
  atLeast: 0.5,
});
console.log(`  each storm: ${VIOLATIONS} violations, ${VIOLATIONS} events, 1 incident, ${VIOLATIONS} occurrences`);
for (const { p50, p99 } of latencies) console.log(`  answered after      ${p50} ms (p50), ${p99} ms (p99)`);

function others(duration) {
  return load({ model: 'small', connections: CONNECTIONS, duration });
}

/** Sends at a constant rate, with as many requests in parallel as the rate needs. */
function violations(model) {
  return load({ model, connections: 32, amount: VIOLATIONS, overallRate: Math.ceil(VIOLATIONS / SECONDS) });
}

async function load({ model, ...options }) {
  const result = await autocannon({
    url: `${server.url}/v1/decisions`,
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_email: 'ada@people.example', provider: 'openai', model }),
    ...options,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${model}: ${result.non2xx} answers were not 2xx`);
  return result;
}

function child() {
  const process = fork(fileURLToPath(new URL('storm-server.mjs', import.meta.url)));
  const next = () => new Promise(resolve => process.once('message', resolve));
  return new Promise((ready, failed) => {
    process.once('exit', code => failed(new Error(`the server ended with ${code}`)));
    process.once('message', message =>
      ready({
        ...message,
        async ask(what, details) {
          const answer = next();
          process.send({ what, ...details });
          return (await answer).result;
        },
      }),
    );
  });
}

// POST /v1/decisions over HTTP by one user. One policy blocks the first model: each decision stores an event and an
// occurrence of one incident before it is answered. No policy matches the second model. Rounds alternate.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { call, median } from '../support/server.mjs';
import { perSecond, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 64);

const server = await child();
const rates = { small: [], large: [] };
let violations = 0;
for (let round = -1; round < ROUNDS; round++) {
  for (const model of Object.keys(rates)) {
    const result = await autocannon({
      url: `${server.url}/v1/decisions`,
      method: 'POST',
      connections: CONNECTIONS,
      duration: round < 0 ? 2 : SECONDS,
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_email: 'ada@people.example', provider: 'openai', model }),
    });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${model}: ${result.non2xx} answers were not 2xx`);
    if (model === 'large') violations += result.requests.total;
    if (round >= 0) rates[model].push(result.requests.average);
  }
}
const { items } = await call(server.url, server.admin, 'GET', '/v1/incidents');
server.process.send('stop');

const [small, large] = [median(rates.small), median(rates.large)];
console.log(`POST /v1/decisions of one user, ${CONNECTIONS} connections`);
console.log(`  no policy matches   ${Math.round(small)} requests/s`);
console.log(`  one policy blocks   ${Math.round(large)} requests/s`);
console.log(`  ratio               ${(large / small).toFixed(2)} (target: at least 0.50)`);
row({
  figure: 'decisions that all violate, beside none',
  ours: perSecond(large, 'requests'),
  peer: perSecond(small, 'requests'),
  ratio: large / small,
  atLeast: 0.5,
});
// Not every decision was answered: requests were aborted at the end of each round.
console.log(
  `  incidents           ${items.length}, with ${items[0]?.occurrences} occurrences of ${violations} answered`,
);

function child() {
  const process = fork(fileURLToPath(new URL('violations-server.mjs', import.meta.url)));
  return new Promise((ready, failed) => {
    process.once('message', message => ready({ process, ...message }));
    process.once('exit', code => failed(new Error(`the server ended with ${code}`)));
  });
}

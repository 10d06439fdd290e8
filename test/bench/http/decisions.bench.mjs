// POST /v1/decisions over HTTP against an empty Nest handler that parses the same body. Both servers and the load
// generator are separate processes. Rounds alternate, so that noise of the machine affects both.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { median } from '../support/server.mjs';
import { perSecond, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const CONNECTIONS = 32;

const governed = await child('governed');
const bare = await child('bare');
const rates = { bare: [], governed: [] };
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, server] of Object.entries({ bare, governed })) {
    const result = await autocannon({
      url: `${server.url}/v1/decisions`,
      method: 'POST',
      connections: CONNECTIONS,
      duration: round < 0 ? 2 : SECONDS,
      headers: { authorization: `Bearer ${governed.token}`, 'content-type': 'application/json' },
      requests: governed.bodies.map(body => ({ body: JSON.stringify(body) })),
    });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${name}: ${result.non2xx} answers were not 2xx`);
    if (round >= 0) rates[name].push(result.requests.average);
  }
}
governed.process.send('stop');
bare.process.send('stop');

const [bareRate, governedRate] = [median(rates.bare), median(rates.governed)];
console.log('POST /v1/decisions: token, records and request limit on, 1,000 policies');
console.log(`  empty Nest handler  ${Math.round(bareRate)} requests/s`);
console.log(`  decisions           ${Math.round(governedRate)} requests/s`);
console.log(`  ratio               ${(governedRate / bareRate).toFixed(2)} (target: at least 0.50)`);
row({
  figure: 'decisions over HTTP, beside an empty Nest handler',
  ours: perSecond(governedRate, 'requests'),
  peer: perSecond(bareRate, 'requests'),
  ratio: governedRate / bareRate,
  atLeast: 0.65,
});

function child(role) {
  const process = fork(fileURLToPath(new URL('decisions-server.mjs', import.meta.url)), [role]);
  return new Promise((ready, failed) => {
    process.once('message', message => ready({ process, ...message }));
    process.once('exit', code => failed(new Error(`${role} ended with ${code}`)));
  });
}

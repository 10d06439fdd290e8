// POST /v1/policies/simulate of a changed policy over a million recorded decisions: time, memory, what live decisions of
// the same process wait meanwhile, and whether each row comes out as the live engine has it.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, quantile } from '../support/server.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const PACE_MS = 10;

const server = fork(fileURLToPath(new URL('simulation-server.mjs', import.meta.url)), { execArgv: ['--expose-gc'] });
const ended = new Promise((_, failed) =>
  server.once('exit', code => failed(new Error(`the server ended with ${code}`))),
);
ended.catch(() => undefined);
const answerOf = name => {
  const answer = new Promise(done => {
    const listen = message => {
      if (message.done !== name) return;
      server.off('message', listen);
      done(message);
    };
    server.on('message', listen);
  });
  return Promise.race([answer, ended]);
};
const run = name => {
  const answer = answerOf(name);
  server.send(name);
  return answer;
};

const { url, token, userId } = await answerOf('start');
const body = JSON.stringify({ user_id: userId, provider: 'openai', model: 'gpt-4o' });
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

/** Milliseconds that decisions take, one every few milliseconds, until the work is over. */
async function latencies(work) {
  const found = [];
  const state = { isOver: false };
  const over = work.finally(() => (state.isOver = true));
  while (!state.isOver) {
    const begun = performance.now();
    const response = await fetch(`${url}/v1/decisions`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`a decision failed: ${response.status}`);
    await response.arrayBuffer();
    found.push(performance.now() - begun);
    await new Promise(done => setTimeout(done, PACE_MS));
  }
  return { found, answer: await over };
}

const idle = await latencies(new Promise(done => setTimeout(done, 5_000)));
const alone = [];
const beside = [];
const busy = [];
for (let round = 0; round < ROUNDS; round++) {
  alone.push(await run('simulate'));
  const { found, answer } = await latencies(run('simulate'));
  beside.push(answer);
  busy.push(...found);
}
const check = await run('verify');
await run('stop');

const [first] = alone;
const seconds = results => median(results.map(result => result.seconds)).toFixed(2);
const inMilliseconds = values => [0.5, 0.99, 1].map(share => `${quantile(values, share).toFixed(1)} ms`).join(', ');
const all = [...alone, ...beside];
console.log(`Simulation of a changed policy over ${first.evaluated} recorded decisions`);
console.log(`  alone                        ${seconds(alone)} s (target: at most 10)`);
console.log(`    of the process's own       ${median(alone.map(one => one.cpu)).toFixed(2)} s of CPU`);
console.log(`  beside live decisions        ${seconds(beside)} s`);
console.log(
  `  memory of the process        ${first.before.toFixed(0)} MiB before, at most ${first.peak.toFixed(0)} MiB: ` +
    `${(first.peak - first.before).toFixed(0)} MiB more (target: below 300)`,
);
console.log(`    after all that follows     at most ${Math.max(...all.map(one => one.peak)).toFixed(0)} MiB`);
console.log(`  a live decision, p50, p99, most`);
console.log(`    without a simulation       ${inMilliseconds(idle.found)}`);
console.log(`    beside one                 ${inMilliseconds(busy)}`);
console.log(`  changed ${first.changed}, newly refused ${first.newlyRefused}, cost $${first.usd.toFixed(4)}`);
console.log(
  `  rows that differ from the live engine: ${check.wrongBefore} before, ${check.wrongAfter} after, of ${check.rows}`,
);
console.log(`  tables that changed: ${check.written.join(', ') || 'none'}; cost by SQL $${check.usd.toFixed(4)}`);
const isRight =
  check.wrongBefore + check.wrongAfter + check.written.length === 0 &&
  Math.abs(check.usd - first.usd) < 1e-6 &&
  check.newlyRefused > 0;
process.exit(isRight ? 0 : 1);

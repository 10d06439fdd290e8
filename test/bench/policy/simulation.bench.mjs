// POST /v1/policies/simulate of a changed policy over a million recorded decisions. Measures time and memory in a
// process with a limited heap and in one without the limit, and the latency of live decisions of the same process
// meanwhile. Checks that each row and each sum equals the live engine's.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, quantile, startDatabase } from '../support/server.mjs';
import { prepareStage } from './simulation-stage.mjs';
import { row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const COUNT = Number(process.env.BENCH_DECISIONS ?? 1_000_000);
const PACE_MS = 10;
const TARGET = { seconds: 10, megabytes: 300 };
/** As docs/operate.md recommends for small machines. */
const BOUNDED = ['--max-old-space-size=256', '--max-semi-space-size=16'];

const database = await startDatabase();
const stage = await prepareStage(database.url, COUNT);
const idle = [];
const bounded = await measure(BOUNDED);
const unbounded = await measure([], run => run('verify'));
await database.stop();
report();

/** Simulates in a separate process, first alone and then during live decisions, and runs the remaining tasks. */
async function measure(execArgv, last = async () => undefined) {
  const env = { ...process.env, BENCH_STAGE: JSON.stringify(stage) };
  const server = fork(fileURLToPath(new URL('simulation-server.mjs', import.meta.url)), { execArgv, env });
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
  const place = await answerOf('start');
  idle.push(...(await latencies(place, new Promise(done => setTimeout(done, 3_000)))).found);
  const [alone, beside, busy] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await run('simulate'));
    const { found, answer } = await latencies(place, run('simulate'));
    beside.push(answer);
    busy.push(...found);
  }
  const check = await last(run);
  await run('stop');
  return { alone, beside, busy, check };
}

/** The latency of decisions in milliseconds, one every few milliseconds, until the work ends. */
async function latencies({ url, token, userId }, work) {
  const body = JSON.stringify({ user_id: userId, provider: 'openai', model: 'gpt-4o' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
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

function report() {
  const { check } = unbounded;
  const [first] = bounded.alone;
  const middle = (results, name) => median(results.map(result => result[name]));
  const inMilliseconds = values => [0.5, 0.99, 1].map(share => `${quantile(values, share).toFixed(1)} ms`).join(', ');
  const most = ({ alone, beside }) => Math.max(...[...alone, ...beside].map(({ peak }) => peak));
  const megabytes = median([...bounded.alone, ...bounded.beside].map(({ peak }) => peak));
  const missed = [
    ...(seconds > TARGET.seconds ? ['time'] : []),
    ...(megabytes >= TARGET.megabytes ? ['memory'] : []),
    ...(check.wrongBefore + check.wrongAfter > 0 ? ['rows'] : []),
    ...check.wrongCounts,
    ...(check.written.length > 0 ? ['tables'] : []),
    ...(Math.abs(check.usd - first.usd) < 1e-6 && first.usd > 0 ? [] : ['cost']),
    ...(bounded.alone.every(one => one.changed === first.changed && one.matched === first.matched) ? [] : ['rounds']),
  ];
  console.log(`Simulation of a changed policy over ${first.evaluated} recorded decisions`);
  for (const { name, one } of [
    { name: `heap bounded by ${BOUNDED.join(' ')}`, one: bounded },
    { name: 'heap not bounded', one: unbounded },
  ]) {
    const growth = one.alone[0].peak - one.alone[0].before;
    console.log(`  ${name}`);
    console.log(`    alone                      ${middle(one.alone, 'seconds').toFixed(2)} s (target: at most 10)`);
    console.log(`      of the process's own     ${middle(one.alone, 'cpu').toFixed(2)} s of CPU`);
    console.log(`    beside live decisions      ${middle(one.beside, 'seconds').toFixed(2)} s`);
    console.log(`    memory, the whole process  at most ${most(one).toFixed(0)} MB (target, bounded: below 300)`);
    console.log(
      `      the first simulation     ${growth.toFixed(0)} MB more than ${one.alone[0].before.toFixed(0)} MB`,
    );
    console.log(`    a live decision beside it  ${inMilliseconds(one.busy)} (p50, p99, most)`);
  }
  console.log(`  a live decision without one  ${inMilliseconds(idle)}`);
  console.log(`  matched ${first.matched}, changed ${first.changed}, newly refused ${first.newlyRefused}`);
  console.log(`  cost $${first.usd.toFixed(4)}, by SQL $${check.usd.toFixed(4)}`);
  console.log(
    `  rows that differ from the live engine: ${check.wrongBefore} before, ${check.wrongAfter} after, of ${check.rows}`,
  );
  console.log(`  sums and breakdowns that differ from a count: ${check.wrongCounts.join(', ') || 'none'}`);
  console.log(`  tables that changed: ${check.written.join(', ') || 'none'}`);
  console.log(`  missed: ${missed.join(', ') || 'nothing'}`);
  const took = middle(bounded.alone, 'seconds');
  row({ figure: 'simulation of a million decisions, s', ours: `${took.toFixed(1)} s`, value: took, atMost: 10 });
  row({ figure: 'its memory, limited heap, MB', ours: `${megabytes.toFixed(0)} MB`, value: megabytes, atMost: 300 });
  process.exitCode = missed.length > 0 ? 1 : 0;
}

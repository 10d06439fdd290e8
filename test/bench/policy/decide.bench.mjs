// Microseconds per evaluation of all policies of an organization, in process.
//   npm run build && npm install --prefix test/bench && node test/bench/policy/decide.bench.mjs
// BENCH_SIZES=10,100 and BENCH_ROUNDS=3 shorten a run; BENCH_DIST names another build folder.
import { availableParallelism } from 'node:os';
import { RANK, workload } from './workload.mjs';
import { row } from '../support/row.mjs';

const SIZES = (process.env.BENCH_SIZES ?? '10,100,1000,10000').split(',').map(Number);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const SLICE_MS = 40;
const PEERS = ['ours', 'ours-action', 'plain-loop', 'casl', 'casl-all', 'casbin', 'cedar', 'json-rules-engine'];

const engines = [];
for (const file of PEERS) {
  try {
    engines.push(await import(`./peers/${file}.mjs`));
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const remedy = file.startsWith('ours') ? 'npm run build' : 'npm install --prefix test/bench';
    console.log(`skipped: ${file} is not installed; run: ${remedy}`);
  }
}
if (engines[0]?.name !== 'this engine') process.exit(1);

console.log(`Node ${process.version}, ${availableParallelism()} cores, ${ROUNDS} interleaved rounds, medians\n`);
for (const kind of ['narrow', 'broad']) {
  const columns = [];
  for (const size of SIZES) columns.push(await measureSize(kind, size));
  print(kind, columns);
  await reportGrowth(kind);
}
for (const { name, note } of engines) console.log(`  ${name}: ${note}`);
await reportOurs();

async function measureSize(kind, size) {
  const { policies, requests } = workload(kind, size);
  const ready = [];
  for (const engine of engines) ready.push({ name: engine.name, ...(await engine.prepare(policies)), samples: [] });
  const matches = await agree(ready, requests);
  // The first round is the warm-up and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const engine of ready) {
      const micros = await slice(engine, requests);
      if (round > 0) engine.samples.push(micros);
    }
  }
  return { size, matches, micros: new Map(ready.map(({ name, samples }) => [name, median(samples)])) };
}

/**
 * Before the measurement, checks that every engine gives the same answer as the plain loop, as far as the engine
 * supports the parts of an answer.
 */
async function agree(ready, requests) {
  const loop = ready.find(({ name }) => name === 'plain loop');
  let matches = 0;
  for (const [n, one] of requests.entries()) {
    const expected = loop.evaluate(one);
    matches += expected.matches.length;
    for (const engine of ready) {
      if (n >= 20 && !engine.name.startsWith('this')) continue;
      const answer = await engine.evaluate(one);
      const action = engine.actionOf(answer);
      const actionFits = action === 'not block' ? expected.action !== 'block' : action === expected.action;
      const countFits = !engine.countOf || engine.countOf(answer) === expected.matches.length;
      if (!actionFits || !countFits || !(expected.action in RANK)) {
        throw new Error(`${engine.name} answers ${action}, the loop ${expected.action}: request ${n}`);
      }
    }
  }
  return matches / requests.length;
}

async function slice({ evaluate }, requests) {
  const started = performance.now();
  let elapsed = 0;
  let done = 0;
  for (let batch = 1; elapsed < SLICE_MS; batch = Math.min(batch * 2, 4096)) {
    for (let n = 0; n < batch; n++, done++) {
      const answer = evaluate(requests[done % requests.length]);
      if (answer instanceof Promise) await answer;
    }
    elapsed = performance.now() - started;
  }
  return (elapsed * 1000) / done;
}

function print(kind, columns) {
  console.log(`${kind}: µs per evaluation (× this engine)`);
  console.log(['policies'.padEnd(20), ...columns.map(({ size }) => String(size).padStart(18))].join(''));
  console.log(
    ['matches on average'.padEnd(20), ...columns.map(({ matches }) => matches.toFixed(1).padStart(18))].join(''),
  );
  for (const { name } of engines) {
    const cells = columns.map(({ micros }) => {
      const own = micros.get(name);
      return `${own.toFixed(own < 10 ? 3 : 0)} (${(own / micros.get('this engine')).toFixed(1)}×)`.padStart(18);
    });
    console.log([name.padEnd(20), ...cells].join(''));
  }
}

/**
 * Shows how this engine's time grows with the number of policies. The sizes take turns, so that other work on the
 * machine affects all of them.
 */
async function reportGrowth(kind) {
  const own = engines.filter(({ name }) => name.startsWith('this'));
  for (const { name, prepare } of own) {
    const sizes = SIZES.map(size => {
      const { policies, requests } = workload(kind, size);
      return { requests, engine: prepare(policies), samples: [] };
    });
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { engine, requests, samples } of sizes) samples.push(await slice(engine, requests));
    }
    const micros = sizes.map(({ samples }) => median(samples.slice(1)));
    const ratio = (micros.at(-1) / micros[0]).toFixed(2);
    console.log(`${name}, sizes interleaved: ${micros.map(one => one.toFixed(3)).join(', ')}; last ÷ first ${ratio}`);
    row({
      figure: `evaluation (${kind}), ${name}, ${SIZES.at(-1)} policies beside ${SIZES[0]}`,
      ours: `${micros.at(-1).toFixed(3)} µs`,
      peer: `${micros[0].toFixed(3)} µs`,
      ratio: micros.at(-1) / micros[0],
      ...(kind === 'narrow' ? { atMost: 3 } : {}),
    });
  }
  console.log('');
}

/**
 * Measures two figures that are not in the table: the time to compile, and the time to decide when every value is new.
 */
async function reportOurs() {
  const [ours] = engines;
  for (const kind of ['narrow', 'broad']) {
    const { policies, requests } = workload(kind, 10_000);
    const compile = [];
    const first = [];
    for (let round = 0; round < ROUNDS + 3; round++) {
      const started = performance.now();
      const { evaluate } = ours.prepare(policies);
      const compiled = performance.now();
      for (const one of requests.slice(0, 100)) evaluate(one);
      compile.push(compiled - started);
      first.push(((performance.now() - compiled) * 1000) / 100);
    }
    console.log(`${kind}, 10000 policies: compiled in ${median(compile).toFixed(1)} ms;`);
    console.log(`  the 100 decisions after that, nothing remembered yet: ${median(first).toFixed(1)} µs each`);
  }
}

function median(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

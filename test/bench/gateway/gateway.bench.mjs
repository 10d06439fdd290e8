// Chat completions through this gateway and through Portkey's, to the same emulated provider. Measures what each adds
// to a call of one caller, how many calls per second it handles for 32 callers, and how much later the first byte of a
// stream arrives. A bare proxy, which governs nothing, shows the least work of any gateway. Provider, gateways and load
// generator are separate processes. Rounds alternate, so that noise of the machine affects both. The CPU time of a call
// hardly depends on other work of the machine.
import { fork, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { Pool } from 'undici';
import { cpuOf } from '../support/cpu.mjs';
import { median, quantile } from '../support/server.mjs';
import { row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const CALLS = Number(process.env.BENCH_CALLS ?? 300);
const CALLERS = 32;
const PORTKEY_PORT = 18_787;

const BODY = {
  model: 'gpt-4o-mini',
  messages: [
    { role: 'system', content: 'You are a helpful assistant of the sales department.' },
    { role: 'user', content: 'Summarize what our customers asked about last week, in three sentences.' },
  ],
  max_tokens: 200,
};

const provider = await child('provider-process.mjs');
const ours = await child('gateway-server.mjs', [provider.url, provider.key]);
const bare = await child('bare-proxy.mjs', [provider.url, provider.key]);
const portkey = await startPortkey();
const key = { authorization: `Bearer ${provider.key}` };
const targets = {
  provider: { url: provider.url, headers: key },
  'bare proxy': { ...bare, pid: bare.process.pid },
  portkey: {
    url: `http://127.0.0.1:${PORTKEY_PORT}`,
    headers: { ...key, 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${provider.url}/v1` },
    pid: portkey.pid,
  },
  gateway: { ...ours, pid: ours.process.pid },
};

const FIGURES = ['p50', 'p99', 'first', 'rate', 'own', 'children'];
const found = Object.fromEntries(
  Object.keys(targets).map(name => [name, Object.fromEntries(FIGURES.map(figure => [figure, []]))]),
);
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, target] of Object.entries(targets)) {
    const measured = await measure(target);
    if (round < 0) continue;
    for (const figure of FIGURES) found[name][figure].push(measured[figure]);
  }
}
ours.process.send('stop');
bare.process.send('stop');
provider.process.send('stop');
portkey.kill();

const of = (name, figure) => median(found[name][figure]);
const added = (name, figure) => of(name, figure) - of('provider', figure);
const line = (label, value) => console.log(`  ${label.padEnd(26)}${value}`);
console.log('Chat completions: 1,000 policies, a budget that blocks, usage stored');
for (const name of Object.keys(targets)) {
  line(
    name,
    `${Math.round(of(name, 'rate'))} calls/s of ${CALLERS} callers; one caller p50 ${ms(of(name, 'p50'))}, p99 ${ms(of(name, 'p99'))}`,
  );
}
for (const name of ['bare proxy', 'portkey', 'gateway']) {
  line(`${name} adds`, `${ms(added(name, 'p50'))} p50 of one caller, ${ms(added(name, 'first'))} to the first byte`);
}
line('CPU of a call, bare proxy', ms(of('bare proxy', 'own')));
line('CPU of a call, portkey', ms(of('portkey', 'own')));
line('CPU of a call, gateway', `${ms(of('gateway', 'own'))}, and ${ms(of('gateway', 'children'))} of PostgreSQL`);
line('rate, gateway to portkey', `${(of('gateway', 'rate') / of('portkey', 'rate')).toFixed(2)} (target: at least 2)`);
row({
  figure: 'gateway, calls/s of 32 callers, beside @portkey-ai/gateway',
  ours: `${Math.round(of('gateway', 'rate'))} calls/s`,
  peer: `${Math.round(of('portkey', 'rate'))} calls/s`,
  ratio: of('gateway', 'rate') / of('portkey', 'rate'),
  atLeast: 2,
});
for (const [figure, name] of Object.entries({
  p50: 'a call of one caller, p50',
  first: 'the first byte of a stream',
})) {
  row({
    figure: `gateway, added to ${name}, beside @portkey-ai/gateway`,
    ours: ms(added('gateway', figure)),
    peer: ms(added('portkey', figure)),
    ratio: added('gateway', figure) / added('portkey', figure),
    atMost: 1,
  });
}

async function measure({ url, headers, pid }) {
  const { origin, pathname } = new URL(url);
  const path = `${pathname === '/' ? '' : pathname}/v1/chat/completions`;
  const ask = (pool, more = {}) =>
    pool.request({
      ...{ path, method: 'POST', headers: { ...headers, 'content-type': 'application/json' } },
      body: JSON.stringify({ ...BODY, ...more }),
    });
  const one = new Pool(origin, { connections: 1 });
  const times = [];
  const firsts = [];
  for (let at = 0; at < CALLS; at++) {
    const begun = performance.now();
    const answer = await ask(one);
    const text = await answer.body.text();
    times.push(performance.now() - begun);
    if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${text}`);
  }
  for (let at = 0; at < CALLS; at++) {
    const begun = performance.now();
    const answer = await ask(one, { stream: true });
    let first;
    for await (const _ of answer.body) first ??= performance.now() - begun;
    firsts.push(first);
  }
  await one.close();
  const before = cpuOf(pid);
  const load = await autocannon({
    ...{ url: `${origin}${path}`, method: 'POST', connections: CALLERS, duration: SECONDS },
    ...{ headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(BODY) },
  });
  if (load.non2xx + load.errors > 0)
    throw new Error(`${url}: ${load.non2xx} answers were not 2xx, ${load.errors} failed`);
  const calls = load['2xx'];
  const after = cpuOf(pid);
  const cpu = { own: (after.own - before.own) / calls, children: (after.children - before.children) / calls };
  return { p50: median(times), p99: quantile(times, 0.99), first: median(firsts), rate: calls / load.duration, ...cpu };
}

function ms(value) {
  return `${value.toFixed(2)} ms`;
}

function child(file, args = []) {
  const process = fork(fileURLToPath(new URL(file, import.meta.url)), args);
  return new Promise((ready, failed) => {
    process.once('message', message => ready({ process, ...message }));
    process.once('exit', code => failed(new Error(`${file} ended with ${code}`)));
  });
}

async function startPortkey() {
  const start = createRequire(import.meta.url).resolve('@portkey-ai/gateway/build/start-server.js');
  const server = spawn(process.execPath, [start, `--port=${PORTKEY_PORT}`, '--headless'], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: 'ignore',
  });
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${PORTKEY_PORT}/`).catch(() => undefined);
    if (answer) return server;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error('Portkey did not start');
}

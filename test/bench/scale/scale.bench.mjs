// POST /v1/decisions of 1, 2 and 4 replicas of the bundled app behind HAProxy, on one durable PostgreSQL. Load
// generator, HAProxy, replicas and database share the cores of one machine. The last line of the output states them.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { call, median, startDatabase } from '../support/server.mjs';
import { perSecond, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const CONNECTIONS = 32;
const COUNTS = [1, 2, 4];
const TOKEN = 'b'.repeat(40);
const ROOT = join(import.meta.dirname, '..', '..', '..');
const SAMPLE = readFileSync(join(ROOT, 'deploy', 'haproxy', 'haproxy.cfg'), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'governance-scale-'));
const database = await startDatabase();
const children = [];
try {
  const ports = [];
  for (let at = 0; at < Math.max(...COUNTS); at++) {
    ports.push(await freePort());
    // One replica starts after the other, because the first one migrates the database.
    await startReplica(ports[at]);
  }
  await call(`http://127.0.0.1:${ports[0]}`, TOKEN, 'POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' });
  const urls = new Map();
  for (const count of COUNTS) urls.set(count, await startBalancer(ports.slice(0, count)));
  urls.set('direct', `http://127.0.0.1:${ports[0]}`);
  const rates = new Map([...urls.keys()].map(key => [key, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [key, url] of urls) {
      const result = await autocannon({
        url: `${url}/v1/decisions`,
        method: 'POST',
        connections: CONNECTIONS,
        duration: round < 0 ? 2 : SECONDS,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' }),
      });
      if (result.non2xx > 0 || result.errors > 0) throw new Error(`${key}: ${result.non2xx} answers were not 2xx`);
      if (round >= 0) rates.get(key).push(result.requests.average);
    }
  }
  console.log('POST /v1/decisions through HAProxy, 32 connections');
  console.log(`  1 replica without HAProxy  ${Math.round(median(rates.get('direct')))} requests/s`);
  for (const count of COUNTS) {
    console.log(`  ${count} behind HAProxy           ${Math.round(median(rates.get(count)))} requests/s`);
    row({
      figure: `decisions of ${count} replicas behind HAProxy on one machine, beside one without`,
      ours: perSecond(median(rates.get(count)), 'requests'),
      peer: perSecond(median(rates.get('direct')), 'requests'),
      ratio: median(rates.get(count)) / median(rates.get('direct')),
    });
  }
  const memory = Math.round(totalmem() / 2 ** 30);
  console.log(`  All on one machine: ${availableParallelism()} cores (${cpus()[0].model}), ${memory} GiB.`);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function startReplica(port) {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'apps', 'standalone', 'main.js')], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      PORT: String(port),
      GOVERNANCE_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      GOVERNANCE_ADMIN_TOKEN: TOKEN,
      GOVERNANCE_DATA_DIR: folder,
      GOVERNANCE_RATE_LIMIT: '0',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.push(child);
  await untilOk(`http://127.0.0.1:${port}/health/ready`);
}

/**
 * Starts HAProxy with the example configuration of deploy and this many replicas. Returns its URL once it forwards
 * requests.
 */
async function startBalancer(replicas) {
  const port = await freePort();
  const servers = replicas.map((replica, at) => `  server app-${at} 127.0.0.1:${replica} check`);
  const file = join(folder, `haproxy-${replicas.length}.cfg`);
  const lines = SAMPLE.replace('bind :8080', `bind 127.0.0.1:${port}`)
    .split('\n')
    .filter(line => !line.startsWith('  server '));
  writeFileSync(file, [...lines, ...servers, ''].join('\n'));
  children.push(spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'ignore'] }));
  await untilOk(`http://127.0.0.1:${port}/health/ready`);
  // Each replica passes its first health check within this time.
  await new Promise(done => setTimeout(done, 1_500));
  return `http://127.0.0.1:${port}`;
}

async function untilOk(url) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > deadline) throw new Error(`${url} does not answer`);
    await new Promise(done => setTimeout(done, 100));
  }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise(done => probe.once('listening', done));
  const { port } = probe.address();
  await new Promise(done => probe.close(done));
  return port;
}

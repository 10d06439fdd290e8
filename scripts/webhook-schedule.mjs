// Measures the retry schedule of webhooks in real time. Uses the built app with its own PostgreSQL, and a failing
// endpoint. Takes six minutes. Exits with 1 if an attempt came early, if a delivery had not exactly five attempts, or
// if the second attempts of an idle app were too late. `--idle` measures only the second attempts of an idle app, in
// half a minute.
import { existsSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const DELAYS_MS = [0, 1_000, 5_000, 30_000, 300_000];
const FAILING = 3;
const IDLE_WEBHOOKS = 15;
const IDLE_PINGS = 10;
const IDLE_EVERY_MS = 80;
const IDLE_P99_MS = 50;

// Node can run the test helpers, which are written in TypeScript. However, it does not resolve `.js` imports to `.ts`
// files.
registerHooks({
  resolve(specifier, context, next) {
    const source =
      specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL
        ? new URL(`${specifier.slice(0, -3)}.ts`, context.parentURL)
        : undefined;
    return next(source && existsSync(fileURLToPath(source)) ? source.href : specifier, context);
  },
});

const { makeAuthority } = await import('../test/support/certificates.ts');
const { startEndpoint } = await import('../test/support/https-endpoint.ts');
const { newDataDir, startStandalone } = await import('../test/support/standalone-process.ts');
const { percentile } = await import('../test/faults/processes/chance.ts');
const { registerWebhooks, untilArrived, watchSchedule } = await import('../test/faults/processes/schedule.ts');

const authority = await makeAuthority();
const endpoint = await startEndpoint({ authority, keep: false });
const dataDir = newDataDir();
const app = await startStandalone({
  GOVERNANCE_DATA_DIR: dataDir,
  GOVERNANCE_EGRESS_ALLOW: '127.0.0.0/8',
  GOVERNANCE_RATE_LIMIT: '0',
  NODE_EXTRA_CA_CERTS: authority.caFile(),
});
const faults = [];
try {
  const target = { url: app.url, token: app.token };
  await measureIdle(target);
  if (!process.argv.includes('--idle')) await measureAll(target);
} finally {
  await app.end('SIGTERM');
  await endpoint.close();
  rmSync(dataDir, { recursive: true, force: true });
}
for (const fault of faults) console.log(`FAULT: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Measures the second attempts of an app that is otherwise idle. */
async function measureIdle(target) {
  const webhooks = await registerWebhooks(target, endpoint, IDLE_WEBHOOKS);
  const watch = watchSchedule(target, endpoint, DELAYS_MS, 1);
  for (let round = 0; round < IDLE_PINGS; round++) await watch.ping(webhooks, IDLE_EVERY_MS);
  const count = IDLE_WEBHOOKS * IDLE_PINGS;
  await untilArrived(watch, count, 2, 30_000);
  const lateness = [...watch.arrivals.values()].map(arrivals => arrivals[1].latenessMs);
  const [p50, p95, p99, latest] = [0.5, 0.95, 0.99, 1].map(share => percentile(lateness, share));
  const figures = { count, earliest: Math.min(...lateness), p50, p95, p99, latest };
  console.log('Lateness of second attempts in ms:', rounded(figures));
  if (figures.earliest < 0) faults.push('a second attempt came early');
  if (p99 > IDLE_P99_MS) faults.push(`p99 of lateness is ${p99.toFixed(1)} ms; it may be ${IDLE_P99_MS}`);
}

/** Measures all attempts of deliveries whose attempts all fail. */
async function measureAll(target) {
  const webhooks = await registerWebhooks(target, endpoint, FAILING);
  const watch = watchSchedule(target, endpoint, DELAYS_MS, Infinity);
  await watch.ping(webhooks, 500);
  await untilArrived(watch, FAILING, DELAYS_MS.length, 400_000);
  const arrivals = [...watch.arrivals.values()].flatMap((made, event) =>
    made.map(arrival => ({ event: event + 1, ...arrival })),
  );
  console.table(arrivals.map(rounded));
  if (arrivals.length !== FAILING * DELAYS_MS.length) faults.push(`${arrivals.length} attempts were made`);
  if (arrivals.some(({ attempt, latenessMs }) => attempt > 1 && latenessMs < 0)) faults.push('an attempt came early');
}

function rounded(figures) {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value * 10) / 10]));
}

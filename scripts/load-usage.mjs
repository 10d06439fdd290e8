/**
 * Loads millions of generated usage events through the ingestion of the built package, in process, and measures it:
 *
 *   npm run build
 *   node_modules/.bin/node scripts/load-usage.mjs [millions] [--random-ids] [--max-minutes=60] [--postgres=name=value …]
 *
 * Default: 50 million events over 85 days, in the order of their times. They are of one organization with 2,000 users
 * and five organizations with 100 users. Event ids are UUIDs of version 7, which grow with time, or of version 4 with
 * `--random-ids`. The script starts a separate PostgreSQL in a temporary folder, which needs about a gigabyte per
 * million events. The folder is removed at the end, even after Ctrl-C.
 *
 * Prints progress to standard error, and the results to standard output as one JSON object. The results are: events per
 * second for each million; the last rate as a share of the first rate after a warm-up; bytes per million events, for
 * each table; and milliseconds of GET /v1/usage over HTTP, one request at a time, at one million events and at the end.
 * After `--max-minutes` of loading, the script does not begin another million, and measures the events loaded so far.
 */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { GovernanceOperations } from '../dist/libs/governance/index.js';
import { UsageIngestion } from '../dist/libs/usage/index.js';
import { call, quantile, startApp, startDatabase } from '../test/bench/support/server.mjs';
import { clockOf, eventsOf, growingId, picker, randomId } from '../test/bench/usage/long-workload.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'random-ids': { type: 'boolean', default: false },
    'max-minutes': { type: 'string', default: '60' },
    postgres: { type: 'string', multiple: true, default: ['max_wal_size=8GB'] },
  },
});
const MILLION = 1_000_000;
const GIGABYTE = 1e9;
const TOTAL = Number(positionals[0] ?? 50) * MILLION;
const LOADING_MS = Number(options['max-minutes']) * 60_000;
const BATCH = 1_000;
const IN_FLIGHT = 16;
const WARM_UP = 200_000;
const DAYS = 85;
const REQUESTS = 1_000;
const DEEP_PAGES = 40;
const SETTLE_MS = 180_000;
const TABLES = ['usage_events', 'usage_event_keys', 'usage_hourly', 'usage_daily'];

if (!Number.isInteger(TOTAL / MILLION) || TOTAL < MILLION || !(LOADING_MS > 0)) {
  throw new Error('say how many millions, a whole number from 1 on, and minutes above 0');
}
const { bavail, bsize } = statfsSync(tmpdir());
if (bavail * bsize < (TOTAL / MILLION + 10) * GIGABYTE) {
  throw new Error(
    `${tmpdir()} has ${Math.floor((bavail * bsize) / GIGABYTE)} GB left, which is too little: set TMPDIR`,
  );
}
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop.abort());

const database = await startDatabase(['max_connections=200', ...options.postgres]);
const owner = new pg.Pool({ connectionString: database.url, max: 2 });
owner.on('error', () => undefined);
const apps = [];
try {
  const loader = await start({ listen: false, controllers: false });
  const server = await start({ requestsPerMinute: 0, outbox: { workers: false } });
  const organizations = [await organization(server.orgId, 2_000, 0.8)];
  for (let number = 0; number < 5; number++) {
    const { orgId } = await loader.app.get(GovernanceOperations).createOrganization(`Small ${number}`);
    organizations.push(await organization(orgId, 100, 0.04));
  }
  const results = await loadAll(loader.app.get(UsageIngestion), server, organizations);
  process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
} finally {
  await Promise.allSettled(apps.map(app => app.stop()));
  await owner.end();
  await database.stop();
}

async function start(appOptions) {
  const app = await startApp(database.url, appOptions);
  apps.push(app);
  return app;
}

/** An organization: its users, its share of all events, and its event generator. */
async function organization(orgId, people, share) {
  const { rows } = await owner.query(
    `insert into governance.users (org_id, id, email, email_key, name, role, status, created_at, updated_at, change_version)
     select $1::uuid, gen_random_uuid(), 'u' || n || '@people.example', 'u' || n || '@people.example', 'User ' || n,
            'member', 'active', now(), now(), 1 from generate_series(1, $2::integer) n returning id`,
    [orgId, people],
  );
  const userIds = rows.map(({ id }) => id);
  return { orgId, share, draw: eventsOf(userIds, options['random-ids'] ? randomId : growingId) };
}

async function loadAll(ingestion, server, organizations) {
  const loading = { timeOf: clockOf(Date.now(), DAYS), choose: picker(organizations), ingestion };
  const rates = [];
  const latencies = {};
  const progress = { events: 0, milliseconds: 0 };
  const load = async to => {
    const begun = performance.now();
    await loadUntil(to, progress.events, loading);
    const took = performance.now() - begun;
    const rate = Math.round(((to - progress.events) * 1_000) / took);
    progress.milliseconds += took;
    progress.events = to;
    return rate;
  };
  await load(WARM_UP);
  while (progress.events < TOTAL && progress.milliseconds < LOADING_MS && !stop.signal.aborted) {
    const rate = await load((rates.length + 1) * MILLION);
    if (stop.signal.aborted) break;
    rates.push(rate);
    process.stderr.write(`${progress.events / MILLION} million: ${rates.at(-1)} events/s\n`);
    if (progress.events === MILLION) latencies[MILLION] = await latencyOf(server);
  }
  if (stop.signal.aborted) throw new Error('stopped before the end');
  latencies[progress.events] ??= await latencyOf(server);
  return {
    events: progress.events,
    complete: progress.events === TOTAL,
    ids: options['random-ids'] ? 'random' : 'growing',
    postgres: options.postgres,
    loading_seconds: Math.round(progress.milliseconds / 1_000),
    events_per_second: rates,
    last_to_first: Number((rates.at(-1) / rates[0]).toFixed(2)),
    bytes_per_million: await sizes(progress.events / MILLION),
    usage_milliseconds: latencies,
  };
}

async function loadUntil(to, from, { timeOf, choose, ingestion }) {
  let next = from;
  const queue = async () => {
    while (next < to && !stop.signal.aborted) {
      const share = next / TOTAL;
      next += BATCH;
      const { orgId, draw } = choose();
      const receipt = await ingestion.record(
        orgId,
        Array.from({ length: BATCH }, () => draw(timeOf(share))),
      );
      if (receipt.accepted !== BATCH) throw new Error(JSON.stringify(receipt).slice(0, 500));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, queue));
}

/**
 * Requests the first page of each period, and one late page of the list. Returns the median and the 99th percentile.
 */
async function latencyOf({ url, token }) {
  await settled();
  const result = {};
  for (const period of ['hourly', 'daily', 'weekly', 'monthly']) {
    const first = `/v1/usage?period=${period}`;
    let deep = first;
    for (let page = 0; page < DEEP_PAGES; page++) {
      const { next_cursor: cursor } = await call(url, token, 'GET', `${deep}&limit=100`);
      if (cursor === null) break;
      deep = `${first}&cursor=${encodeURIComponent(cursor)}`;
    }
    for (const [name, path] of Object.entries({ first, deep })) {
      const times = [];
      for (let request = -20; request < REQUESTS; request++) {
        const begun = performance.now();
        await call(url, token, 'GET', path);
        if (request >= 0) times.push(performance.now() - begun);
      }
      const [p50, p99] = [0.5, 0.99].map(share => Number(quantile(times, share).toFixed(1)));
      result[`${period} ${name}`] = { p50, p99 };
    }
  }
  return result;
}

/**
 * Waits until PostgreSQL has finished its work after the loading. That work would slow down the pages that are measured
 * next, both at one million events and at the end.
 */
async function settled() {
  await owner.query('checkpoint');
  const end = performance.now() + SETTLE_MS;
  const vacuums = `select 1 from pg_stat_activity where backend_type = 'autovacuum worker'`;
  while (performance.now() < end && (await owner.query(vacuums)).rows.length > 0) await sleep(1_000);
}

/** Bytes on disk per table, including its indexes, per million events. */
async function sizes(millions) {
  const result = {};
  for (const table of TABLES) {
    const { rows } = await owner.query(
      `select sum(pg_table_size(relid))::float8 as rows, sum(pg_indexes_size(relid))::float8 as indexes,
         sum(pg_total_relation_size(relid))::float8 as total
       from (select $1::regclass as relid union select relid from pg_partition_tree($1::regclass)) parts`,
      [`governance.${table}`],
    );
    result[table] = Object.fromEntries(
      Object.entries(rows[0]).map(([part, bytes]) => [part, Math.round(bytes / millions)]),
    );
  }
  return result;
}

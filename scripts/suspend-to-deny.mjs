/**
 * Measures how fast a suspension takes effect on four replicas of the build, each a separate process, on one
 * PostgreSQL. Users are suspended one by one, through one replica after the other: they are offboarded, or deactivated
 * as by an identity provider (SCIM `active: false`). Meanwhile, every replica gets requests for decisions about these
 * users every few milliseconds. The result is the milliseconds from the commit, by PostgreSQL's clock, to the arrival
 * of the first refusal from each replica. Also prints the latency of all decisions: on a busy machine, every answer is
 * late.
 *
 *   npm run build
 *   node_modules/.bin/node scripts/suspend-to-deny.mjs [--by=offboarding|scim] [--no-notifications] [--suspensions=200]
 *     [--people=10000]
 *
 * Exits with 1 if the p99 is above 100 ms, or above 1 s without notifications.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { call, quantile, startApp, startDatabase } from '../test/bench/support/server.mjs';
import { addPeople } from '../test/bench/users/people.mjs';

const { values: options } = parseArgs({
  options: {
    by: { type: 'string', default: 'offboarding' },
    'no-notifications': { type: 'boolean', default: false },
    suspensions: { type: 'string', default: '200' },
    people: { type: 'string', default: '10000' },
  },
});
/** Suspends a user through a replica. */
const WAYS = {
  offboarding: (url, token, id) => call(url, token, 'POST', `/v1/users/${id}/offboard`),
  scim: (url, token, id) =>
    call(url, token, 'PATCH', `/scim/v2/Users/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    }),
};
const lockOut = WAYS[options.by];
if (!lockOut) throw new Error(`--by must be one of: ${Object.keys(WAYS).join(', ')}`);
const REPLICAS = 4;
const SUSPENSIONS = Number(options.suspensions);
const LISTEN = !options['no-notifications'];
const P99_MS = LISTEN ? 100 : 1_000;
const GIVE_UP_MS = 10_000;
const PAUSE_MS = 2;
const REQUEST = { provider: 'openai', model: 'gpt-4o' };
const REPLICA = fileURLToPath(new URL('../test/bench/users/replica-process.mjs', import.meta.url));

const database = await startDatabase(['track_commit_timestamp=on', 'max_connections=200']);
const owner = new pg.Pool({ connectionString: database.url, max: 2 });
owner.on('error', () => undefined);
const processes = [];
const roundTrips = [];
try {
  const { app, orgId, token } = await startApp(database.url, { listen: false, outbox: { workers: false } });
  await addPeople(owner, orgId, Number(options.people));
  await app.close();
  const urls = await Promise.all(Array.from({ length: REPLICAS }, startReplica));
  const { rows } = await owner.query(`select id from governance.users where status = 'active' order by name limit $1`, [
    SUSPENSIONS,
  ]);
  const latencies = urls.map(() => []);
  for (const [at, { id }] of rows.entries()) {
    const times = await suspend(urls, token, id, at % REPLICAS);
    for (const [replica, time] of times.entries()) latencies[replica].push(time);
  }
  tell(latencies);
} finally {
  const ends = processes.filter(child => child.exitCode === null).map(child => once(child, 'exit'));
  for (const child of processes) child.disconnect();
  await Promise.all(ends);
  await owner.end();
  await database.stop();
}

async function startReplica() {
  const child = fork(REPLICA, [JSON.stringify({ url: database.url, listen: LISTEN })]);
  processes.push(child);
  const [url] = await once(child, 'message');
  return url;
}

/**
 * Suspends a user through one replica. Returns, for each replica, the milliseconds from the commit to its first
 * refusal.
 */
async function suspend(urls, token, id, through) {
  const isAllowed = async url => {
    const begun = performance.now();
    const { allowed } = await call(url, token, 'POST', '/v1/decisions', { ...REQUEST, user_id: id });
    roundTrips.push(performance.now() - begun);
    return allowed;
  };
  for (const url of urls) if (!(await isAllowed(url))) throw new Error(`${id} is refused before anything happened`);
  const refusals = urls.map(async url => {
    const until = performance.now() + GIVE_UP_MS;
    while (await isAllowed(url)) {
      if (performance.now() > until) throw new Error(`${url} follows no suspension of ${id}`);
      await sleep(PAUSE_MS);
    }
    return performance.timeOrigin + performance.now();
  });
  const [times] = await Promise.all([Promise.all(refusals), lockOut(urls[through], token, id)]);
  const { rows } = await owner.query(
    `select extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as at from governance.users where id = $1`,
    [id],
  );
  return times.map(time => time - rows[0].at);
}

function tell(latencies) {
  const figures = values =>
    Object.fromEntries(
      Object.entries({ p50: 0.5, p95: 0.95, p99: 0.99, max: 1 }).map(([name, share]) => [
        name,
        Number(quantile(values, share).toFixed(1)),
      ]),
    );
  const all = latencies.flat();
  console.log(
    `${SUSPENSIONS} suspensions (${options.by}) among ${options.people} people, ${REPLICAS} replicas, ` +
      `${LISTEN ? 'with notifications' : 'every notification cut'}: ms from the commit to the first refusal`,
  );
  console.table(
    Object.fromEntries([
      ...latencies.map((values, at) => [`replica ${at + 1}`, figures(values)]),
      ['all', figures(all)],
      ['one decision', figures(roundTrips)],
    ]),
  );
  const { p99 } = figures(all);
  console.log(`p99 ${p99} ms (target: at most ${P99_MS})`);
  if (p99 > P99_MS) process.exitCode = 1;
}

import pg from 'pg';
import { DetectionJob } from '../../../dist/libs/anomalies/index.js';
import {
  DEFAULT_WATCH_SETTINGS,
  NEW_WATCH,
  NO_COHORTS,
  ofEach,
  packWatch,
  watchPerson,
} from '../../../dist/libs/anomalies/detect/index.js';
import { call, startApp, startDatabase } from '../support/server.mjs';

const [PEOPLE, DAYS] = process.argv.slice(2).map(Number);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const database = await startDatabase();
const server = await startApp(database.url, { requestsPerMinute: 0 });
const { orgId } = server;
const owner = new pg.Client({ connectionString: database.url });
await owner.connect();
const post = (path, body) => call(server.url, server.token, 'POST', path, body);
await post('/v1/users', { email: 'ada@people.example', name: 'Ada' });
await call(server.url, server.token, 'PUT', '/v1/anomalies/settings', { organization_spikes: false });

await owner.query(
  `insert into governance.users (org_id, id, email, email_key, name, role, status, suspension_causes, attributes,
     departure_ends_machine_tokens, created_at, updated_at, change_version)
   select $1, gen_random_uuid(), n || '@bench.example', n || '@bench.example', 'Person', 'member', 'active', '{}', '{}',
     false, now(), now(), n from generate_series(1, $2::int) n`,
  [orgId, PEOPLE],
);
const { rows: people } = await owner.query(`select id from governance.users where org_id = $1 and name = 'Person'`, [
  orgId,
]);

// All people worked on every day, which gives the largest possible state.
const today = Math.floor(Date.now() / DAY_MS);
const counts = Array.from({ length: 24 }, (_, hour) => (hour % 3 === 0 ? 5 : 0));
let watch = NEW_WATCH;
for (let day = today - DAYS; day < today; day++) {
  const usage = { day, counts: ofEach(() => counts), models: new Map([['gpt-4o', counts]]), isLeaver: false };
  watch = watchPerson(watch, usage, NO_COHORTS, DEFAULT_WATCH_SETTINGS).watch;
}
const state = packWatch(watch);
await owner.query(
  `insert into governance.anomaly_people (org_id, user_id, state, last_day) select $1, u.id, $2, current_date - 1
   from governance.users u where u.org_id = $1 and u.name = 'Person'`,
  [orgId, state],
);
await owner.query('vacuum analyze');

const work = {
  /** One hour of usage of all people, the given number of hours after midnight. */
  async hour({ at }) {
    const hour = new Date(today * DAY_MS + at * HOUR_MS);
    await owner.query(
      `insert into governance.usage_hourly (org_id, hour, user_id, model, provider, requests, input_tokens, output_tokens,
         cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, unpriced_requests)
       select $1, $2, u.id, 'gpt-4o', 'openai', 5, 500, 50, 0, 0, 0, 0.01, 0
       from governance.users u where u.org_id = $1 and u.name = 'Person'`,
      [orgId, hour],
    );
    await owner.query(`insert into governance.usage_touched_hours values ($1, $2, 1)`, [orgId, hour]);
    await owner.query(`update governance.anomaly_watches set passed_at = null`);
    // Each round starts without queued writes.
    await owner.query('checkpoint');
  },
  async detect() {
    const began = performance.now();
    const cpu = process.cpuUsage();
    await server.app.get(DetectionJob).detect();
    const { user, system } = process.cpuUsage(cpu);
    global.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    const { rows } = await owner.query(`select count(*)::int as alarms from governance.anomalies`);
    return {
      seconds: (performance.now() - began) / 1000,
      cpuSeconds: (user + system) / 1e6,
      heapUsed,
      rss,
      ...rows[0],
    };
  },
  async stop() {
    await owner.end();
    await server.stop();
    await database.stop();
    setImmediate(() => process.exit(0));
  },
};
process.on('message', ({ what, ...details }) => {
  void work[what](details).then(result => process.send({ result }));
});
process.send({ url: server.url, token: server.token, people: people.length, stateBytes: state.length });

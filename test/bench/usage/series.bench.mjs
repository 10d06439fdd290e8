// GET /v1/usage/series at 1 M and at 50 M events of one month: p99 of the requests of the dashboard. Reports read only
// rollups, so only rollups are created: a random draw decides for each row whether at least one of the events would
// belong to it. The events do not exist.
import pg from 'pg';
import { call, quantile, startApp, startDatabase } from '../support/server.mjs';
import { ms, row } from '../support/row.mjs';

const SIZES = (process.env.BENCH_EVENTS ?? '1000000,50000000').split(',').map(Number);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 200);
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 200);
const DAYS = 31;
const MODELS = 3;
const PROJECTS = 2;
const DEPARTMENTS = 8;
const LINES = PEOPLE * MODELS * PROJECTS;
const MONTH = 'start_date=2026-10-01&end_date=2026-10-31';
const QUERIES = {
  'all by day': 'metric=requests',
  'models by day': 'group_by=model',
  'departments by day': 'group_by=department&metric=tokens',
  'teams and models by week': 'group_by=tag:team,model&period=weekly',
  'projects by day in Kolkata': 'group_by=project&time_zone=Asia/Kolkata',
  'departments by hour in Berlin': 'group_by=department&period=hourly&time_zone=Europe/Berlin',
  'people by day': 'group_by=user',
  'people and models by month': 'group_by=user,model&period=monthly&top=50',
  'people by month in Kolkata': 'group_by=user&period=monthly&time_zone=Asia/Kolkata',
  'people by day in Kolkata': 'group_by=user&time_zone=Asia/Kolkata',
};

const database = await startDatabase(['max_wal_size=8GB', 'max_connections=200']);
const admin = new pg.Pool({ connectionString: database.url, max: 1 });
const sites = [];
for (const size of SIZES) sites.push(await site(size));

console.log(`GET /v1/usage/series at ${SIZES.join(' and ')} events, p99 of ${REQUESTS} requests in ms`);
for (const [name, query] of Object.entries(QUERIES)) {
  const times = sites.map(() => []);
  // The sizes take turns, request by request, so that other work on the machine affects both.
  for (let request = -10; request < REQUESTS; request++) {
    for (const [at, { server }] of sites.entries()) {
      const begun = performance.now();
      await call(server.url, server.token, 'GET', `/v1/usage/series?${MONTH}&${query}`);
      if (request >= 0) times[at].push(performance.now() - begun);
    }
  }
  const p99 = times.map(each => quantile(each, 0.99));
  const p50 = times.map(each => quantile(each, 0.5));
  const ratio = p99.length > 1 ? `  ratio ${(p99.at(-1) / p99[0]).toFixed(2)} (target: at most 1.5)` : '';
  const shown = p99.map((time, at) => `${time.toFixed(1).padStart(8)} (p50 ${p50[at].toFixed(1)})`).join('');
  console.log(`  ${name.padEnd(30)}${shown}${ratio}`);
  if (p99.length > 1) {
    row({
      figure: `GET /v1/usage/series, ${name}, p99 at ${SIZES.at(-1)} events beside ${SIZES[0]}`,
      ours: ms(p99.at(-1), 1),
      peer: ms(p99[0], 1),
      ratio: p99.at(-1) / p99[0],
      atMost: 1.5,
    });
  }
}
for (const { server, owner } of sites) {
  await owner.end();
  await server.stop();
}
await admin.end();
await database.stop();

/** A database with the rollups of this many events, and the module on it. */
async function site(size) {
  const begun = performance.now();
  const url = new URL(database.url);
  url.pathname = `/series_${size}`;
  await admin.query(`create database series_${size}`);
  const server = await startApp(url.href, { requestsPerMinute: 0 });
  const owner = new pg.Pool({ connectionString: url.href, max: 2 });
  await load(owner, server.orgId, size);
  console.log(`rollups of ${size} events made in ${Math.round((performance.now() - begun) / 1_000)} s`);
  return { server, owner };
}

async function load(owner, orgId, size) {
  const attribution = (person, project) => `md5('a' || (${person}) % ${DEPARTMENTS} || '/' || ${project})::uuid`;
  await owner.query(
    `insert into governance.usage_attributions (org_id, id, shared_id, department, project, tags)
     select $1, ${attribution('d', 'p')}, ${attribution('d', 'p')}, 'Department ' || d, 'Project ' || p,
       jsonb_build_object('team', 'team ' || (d * ${PROJECTS} + p) % 5)
     from generate_series(0, ${DEPARTMENTS - 1}) d, generate_series(0, ${PROJECTS - 1}) p`,
    [orgId],
  );
  await owner.query(
    `insert into governance.users (org_id, id, email, email_key, name, role, status, created_at, updated_at, change_version)
     select $1, md5('user' || n)::uuid, 'u' || n || '@people.example', 'u' || n || '@people.example', 'User ' || n,
            'member', 'active', now(), now(), 1 from generate_series(0, ${PEOPLE - 1}) n`,
    [orgId],
  );
  const figures = `requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd,
    unpriced_requests`;
  // Average number of events per quarter of an hour and row. Some people have many times the usage of others.
  const mean = size / (LINES * DAYS * 96);
  await owner.query(
    `insert into governance.usage_hourly (org_id, hour, user_id, model, provider, attribution_id, quarter, ${figures})
     select $1, timestamptz '2026-10-01Z' + h * interval '1 hour', md5('user' || person)::uuid, 'model ' || model, 'openai',
       ${attribution('person', 'project')}, quarter, n, n * 900, n * 200, 0, 0, 0, n * 0.001, 0
     from (
       select *, ceil(${mean} * 2.5 * power((person + 1)::float8 / ${PEOPLE}, 1.5) + ln(1 - random()))::integer as n
       from generate_series(0, ${DAYS * 24 - 1}) h, generate_series(0, ${PEOPLE - 1}) person,
         generate_series(0, ${MODELS - 1}) model, generate_series(0, ${PROJECTS - 1}) project, generate_series(0, 3) quarter) cells
     where n > 0`,
    [orgId],
  );
  const sums = figures
    .split(/,\s+/)
    .map(name => `sum(${name})`)
    .join(', ');
  await owner.query(
    `insert into governance.usage_daily (org_id, day, user_id, model, provider, attribution_id, ${figures})
     select org_id, (hour at time zone 'UTC')::date, user_id, model, provider, attribution_id, ${sums}
     from governance.usage_hourly group by 1, 2, 3, 4, 5, 6`,
  );
  const starts = { 15: `hour + quarter * interval '15 minutes'`, 60: 'hour', 1440: `date_trunc('day', hour, 'UTC')` };
  for (const [minutes, start] of Object.entries(starts)) {
    await owner.query(
      `insert into governance.usage_totals (org_id, grain_minutes, start, attribution_id, model, provider, ${figures})
       select org_id, ${minutes}, ${start}, attribution_id, model, provider, ${sums}
       from governance.usage_hourly group by 1, 2, 3, 4, 5, 6`,
    );
  }
  await owner.query('vacuum analyze governance.usage_hourly, governance.usage_daily, governance.usage_totals');
}

// GET /v1/usage at 1 M and at 20 M events: p99 of the first page and of a page deep in the list, for each period. SQL
// creates the events, with many tenants of which a few have most usage, and builds rollups from them.
import pg from 'pg';
import { call, quantile, startApp, startDatabase } from '../support/server.mjs';
import { ms, row } from '../support/row.mjs';

const SIZES = (process.env.BENCH_EVENTS ?? '1000000,20000000').split(',').map(Number);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 500);
const USERS = 5_000;
const DAYS = 90;
const PERIODS = ['hourly', 'daily', 'weekly', 'monthly'];

const database = await startDatabase(['max_wal_size=8GB', 'max_connections=200']);
const admin = new pg.Pool({ connectionString: database.url, max: 1 });
const sites = [];
for (const size of SIZES) sites.push(await site(size));

// The sizes take turns, request by request, so that other work on the machine affects both.
const measured = sites.map(() => ({}));
for (const period of PERIODS) {
  const first = `/v1/usage?period=${period}`;
  const deep = await Promise.all(
    sites.map(async one => `${first}&cursor=${encodeURIComponent(await deepCursor(one, first))}`),
  );
  await measure(
    `${period} first`,
    sites.map(() => first),
  );
  await measure(`${period} deep`, deep);
}
console.log(`GET /v1/usage at ${SIZES.join(' and ')} events, p99 of ${REQUESTS} requests in ms`);
for (const [name, at] of Object.entries(measured[0])) {
  const times = measured.map(result => result[name]);
  const ratio = times.length > 1 ? `  ratio ${(times.at(-1) / at).toFixed(2)} (target: at most 1.5)` : '';
  console.log(`  ${name.padEnd(16)} ${times.map(time => time.toFixed(1).padStart(7)).join('')}${ratio}`);
  if (times.length > 1) {
    row({
      figure: `GET /v1/usage, ${name}, p99 at ${SIZES.at(-1)} events beside ${SIZES[0]}`,
      ours: ms(times.at(-1), 1),
      peer: ms(at, 1),
      ratio: times.at(-1) / at,
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

/** A database with this many events, and the module on it. */
async function site(size) {
  const begun = performance.now();
  const url = new URL(database.url);
  url.pathname = `/events_${size}`;
  await admin.query(`create database events_${size}`);
  const server = await startApp(url.href, { requestsPerMinute: 0 });
  const owner = new pg.Pool({ connectionString: url.href, max: 2 });
  await owner.query(
    `insert into governance.users (org_id, id, email, email_key, name, role, status, created_at, updated_at, change_version)
     select $1, md5('user' || n)::uuid, 'u' || n || '@people.example', 'u' || n || '@people.example', 'User ' || n,
            'member', 'active', now(), now(), 1 from generate_series(1, $2) n`,
    [server.orgId, USERS],
  );
  await load({ server, owner }, size);
  console.log(`${size} events loaded in ${Math.round((performance.now() - begun) / 1_000)} s`);
  return { server, owner };
}

async function load({ server, owner }, to) {
  const step = 1_000_000;
  for (let begin = 0; begin < to; begin += step) {
    await owner.query(
      `insert into governance.usage_events
         (org_id, id, user_id, provider, model, occurred_at, received_at, input_tokens, output_tokens,
          cache_read_tokens, cache_write_tokens, reasoning_tokens, requests, cost_usd, price_source, price_version)
       select $1, 'e' || n,
              md5('user' || (1 + floor(power(hashfloat8(n)::float8 / 4294967296 + 0.5, 3) * ${USERS - 1}))::int)::uuid,
              'openai', (array['gpt-4o', 'gpt-4o-mini', 'o3'])[1 + n % 3],
              timestamptz '2026-08-22' + make_interval(secs => (abs(hashint8(n * 7)) % (${DAYS} * 86400))),
              now(), 500 + n % 3000, 50 + n % 500, 0, 0, 0, 1, 0.001, 'bench', '1'
       from generate_series($2::bigint, $3::bigint) n`,
      [server.orgId, begin + 1, Math.min(begin + step, to)],
    );
  }
  const figures = `count(*), sum(input_tokens), sum(output_tokens), 0, 0, 0, sum(cost_usd), 0`;
  const columns = `user_id, model, provider, requests, input_tokens, output_tokens, cache_read_tokens,
                   cache_write_tokens, reasoning_tokens, cost_usd, unpriced_requests`;
  await owner.query(
    `insert into governance.usage_hourly (org_id, hour, ${columns})
     select org_id, date_trunc('hour', occurred_at, 'UTC'), user_id, model, provider, ${figures}
     from governance.usage_events group by 1, 2, 3, 4, 5`,
  );
  await owner.query(
    `insert into governance.usage_daily (org_id, day, ${columns})
     select org_id, (hour at time zone 'UTC')::date, user_id, model, provider, sum(requests), sum(input_tokens),
            sum(output_tokens), 0, 0, 0, sum(cost_usd), 0
     from governance.usage_hourly group by 1, 2, 3, 4, 5`,
  );
  await owner.query('vacuum analyze governance.usage_hourly, governance.usage_daily, governance.usage_events');
}

async function deepCursor({ server }, first) {
  let cursor;
  for (let page = 0; page < 40; page++) {
    const path = `${first}&limit=100${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { next_cursor: next } = await call(server.url, server.token, 'GET', path);
    if (next === null) break;
    cursor = next;
  }
  return cursor;
}

async function measure(name, paths) {
  const times = sites.map(() => []);
  for (let request = -20; request < REQUESTS; request++) {
    for (const [at, { server }] of sites.entries()) {
      const begun = performance.now();
      await call(server.url, server.token, 'GET', paths[at]);
      if (request >= 0) times[at].push(performance.now() - begun);
    }
  }
  for (const [at, result] of measured.entries()) result[name] = quantile(times[at], 0.99);
}

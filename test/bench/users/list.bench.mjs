// GET /v1/users at 1,000 and at 100,000 people: p99 of the first page and of one deep inside, without filters and with
// each. The sizes take turns, request by request, so that whatever else the machine does hits both.
import pg from 'pg';
import { call, quantile, startApp, startDatabase } from '../support/server.mjs';
import { addPeople } from './people.mjs';

const SIZES = (process.env.BENCH_PEOPLE ?? '1000,100000').split(',').map(Number);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 1_000);
const TARGET = 1.5;
const QUERIES = {
  'no filter': '',
  'status=active': '&status=active',
  'status=suspended': '&status=suspended',
  department: '&department=Department%207',
  'department, status': '&department=Department%207&status=active',
};

const database = await startDatabase(['max_connections=200']);
const admin = new pg.Pool({ connectionString: database.url, max: 1 });
const sites = [];
for (const size of SIZES) sites.push(await site(size));

console.log(`GET /v1/users at ${SIZES.join(' and ')} people, p50 and p99 of ${REQUESTS} requests in ms`);
for (const [name, filter] of Object.entries(QUERIES)) {
  const first = `/v1/users?limit=25${filter}`;
  const deep = await Promise.all(sites.map(one => deepPage(one, `/v1/users?limit=25${filter}`)));
  for (const [page, paths] of Object.entries({ first: sites.map(() => first), deep })) {
    const [p50, p99] = await measure(paths);
    const ratio = (p99.at(-1) / p99[0]).toFixed(2);
    const figures = sites.map((_, at) => `${p50[at].toFixed(1)} ${p99[at].toFixed(1)}`.padStart(12)).join('');
    console.log(`  ${`${name}, ${page}`.padEnd(26)} ${figures}  ratio of p99 ${ratio} (target: at most ${TARGET})`);
  }
}
for (const { server, owner } of sites) {
  await owner.end();
  await server.stop();
}
await admin.end();
await database.stop();

/** A database with that many people in one organization, and the module on it. */
async function site(size) {
  const url = new URL(database.url);
  url.pathname = `/people_${size}`;
  await admin.query(`create database people_${size}`);
  const server = await startApp(url.href, { requestsPerMinute: 0, outbox: { workers: false } });
  const owner = new pg.Pool({ connectionString: url.href, max: 2 });
  await addPeople(owner, server.orgId, size);
  await owner.query('vacuum analyze governance.users');
  return { server, owner };
}

/** The page in the middle of a list: half of it, or 40 pages, have been read by then. */
async function deepPage({ server }, path) {
  const { total_count: total } = await call(server.url, server.token, 'GET', path);
  let page = path;
  for (let read = 0; read < Math.min(total / 2, 4_000); read += 100) {
    const { next_cursor: cursor } = await call(server.url, server.token, 'GET', page.replace('limit=25', 'limit=100'));
    if (cursor === null) break;
    page = `${path}&cursor=${encodeURIComponent(cursor)}`;
  }
  return page;
}

async function measure(paths) {
  const times = sites.map(() => []);
  for (let request = -20; request < REQUESTS; request++) {
    for (const [at, { server }] of sites.entries()) {
      const begun = performance.now();
      await call(server.url, server.token, 'GET', paths[at]);
      if (request >= 0) times[at].push(performance.now() - begun);
    }
  }
  return [0.5, 0.99].map(share => times.map(values => quantile(values, share)));
}

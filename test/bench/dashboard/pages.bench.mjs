// The requests of the dashboard's pages, in an organization of 100,000 people with 50 million usage events of 90 days.
// Measures p50 and p99 of each route. Sends one request after the other.
//
//   npm run bench -- dashboard/pages
//
// BENCH_DATA names a folder that keeps the database: filling it takes half an hour and 30 GB. With BENCH_ONLY=fill nothing
// is measured, and with BENCH_ONLY=measure nothing is filled.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../dist/apps/standalone/embedded-postgres.js';
import { call, quantile, startApp } from '../support/server.mjs';
import { stage } from './pages-stage.mjs';

const SIZES = {
  events: Number(process.env.BENCH_EVENTS ?? 50_000_000),
  people: Number(process.env.BENCH_PEOPLE ?? 100_000),
  decisions: Number(process.env.BENCH_DECISIONS ?? 2_000_000),
  incidents: 100_000,
  deliveries: 300_000,
  days: 90,
};
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 300);
const CHANGES = 200;
const DAY_MS = 86_400_000;
const only = process.env.BENCH_ONLY;

const kept = process.env.BENCH_DATA;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'governance-pages-'));
if (only === 'measure' && !existsSync(join(folder, 'site.json'))) throw new Error(`${folder} is not filled`);
const flags = ['max_wal_size=2GB', 'max_connections=200', 'shared_buffers=2GB'];
const database = await startEmbeddedPostgres(folder, { flags });
try {
  const site = await stage(database.url, folder, SIZES);
  if (only !== 'fill') await measureAll(site);
} finally {
  await database.stop();
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

async function measureAll(site) {
  const { events, people, decisions, incidents, deliveries, days } = site;
  console.log(
    `${events} usage events and ${decisions} decisions of ${days} days, ${people} people, ${incidents} incidents, ` +
      `${deliveries} deliveries; ${REQUESTS} requests each, ms`,
  );
  const server = await startApp(database.url, { requestsPerMinute: 0, outbox: { workers: false } });
  try {
    const get = path => call(server.url, site.token, 'GET', path);
    const routes = await routesOf(site, get);
    for (const [name, pathOf] of routes) {
      const times = [];
      for (let request = -20; request < REQUESTS; request += 1) {
        const path = pathOf(request);
        const begun = performance.now();
        await get(path);
        if (request >= 0) times.push(performance.now() - begun);
      }
      report(name, times);
    }
    report('from the answer of a change to its event on /v1/stream', await streamed(server, site));
  } finally {
    await server.stop();
  }
}

function report(name, times) {
  const [p50, p99] = [0.5, 0.99].map(share => quantile(times, share).toFixed(1).padStart(8));
  console.log(`  ${name.padEnd(62)}${p50}${p99}`);
}

/**
 * The name of each route, and its path by the number of the request. Routes that read one resource request a different
 * id each time.
 */
async function routesOf({ end, people }, get) {
  const day = back => new Date(end - back * DAY_MS).toISOString().slice(0, 10);
  const since = back => new Date(end - back * DAY_MS).toISOString();
  const person = at => Math.abs(at * 7919) % people;
  const first = async path => (await get(`${path}limit=1`)).items[0];
  const incident = await first('/v1/incidents?');
  const webhook = await first('/v1/webhooks?');
  const delivery = await first('/v1/deliveries?');
  const policies = (await get('/v1/policies?limit=100')).items;
  const budgets = (await get('/v1/budgets?limit=100')).items;
  const split = budgets.find(({ split_by }) => split_by !== undefined);
  const users = (await get('/v1/users?limit=100')).items;
  const series = (back, query) => `/v1/usage/series?start_date=${day(back)}&end_date=${day(0)}&${query}`;
  let deep = '/v1/users?limit=100';
  for (let page = 0; page < 40; page += 1) {
    const { next_cursor: cursor } = await get(deep);
    if (cursor === null) break;
    deep = `/v1/users?limit=100&cursor=${encodeURIComponent(cursor)}`;
  }
  const fixed = path => () => path;
  const berlin = 'time_zone=Europe/Berlin';
  return [
    ['me', fixed('/v1/me')],
    ['overview', fixed('/v1/overview')],
    ['series, 7 days, cost by model', fixed(series(6, `group_by=model&metric=cost_usd&period=daily&${berlin}`))],
    ['series, 30 days, cost by department', fixed(series(29, `group_by=department&metric=cost_usd&${berlin}`))],
    ['series, 90 days, tokens by model', fixed(series(89, `group_by=model&metric=tokens&${berlin}`))],
    ['series, 24 hours, requests by model', fixed(series(1, 'group_by=model&metric=requests&period=hourly'))],
    ['series, 7 days, cost by user, top 10', fixed(series(6, `group_by=user&metric=cost_usd&top=10&${berlin}`))],
    ['series, 30 days, cost by user, top 10', fixed(series(29, `group_by=user&metric=cost_usd&top=10&${berlin}`))],
    [
      'series, 30 days, cost by model of one user',
      at => series(29, `group_by=model&metric=cost_usd&user_id=${users[Math.abs(at) % users.length].id}`),
    ],
    ['facets, models, providers and departments', fixed('/v1/facets?of=model,provider,department')],
    ['search by a name', at => `/v1/search?q=User%20${person(at)}`],
    ['search by an address', at => `/v1/search?q=u${person(at)}@people.example`],
    ['users, first page', fixed('/v1/users?limit=100')],
    ['users, page 41', fixed(deep)],
    ['users by a part of the name', at => `/v1/users?limit=100&q=user%20${person(at)}`],
    ['incidents, open', fixed('/v1/incidents?limit=100&status=open')],
    ['incidents, all, high, oldest first', fixed('/v1/incidents?limit=100&severity=high&sort=oldest')],
    ['incident with its timeline', fixed(`/v1/incidents/${incident.id}`)],
    ['decisions, 7 days', fixed(`/v1/decisions?limit=100&since=${since(7)}`)],
    ['decisions, 7 days, blocked', fixed(`/v1/decisions?limit=100&action=block&since=${since(7)}`)],
    [
      'decisions, 7 days, of a policy',
      at => `/v1/decisions?limit=100&policy_id=${policies[Math.abs(at) % policies.length].id}&since=${since(7)}`,
    ],
    ['decisions, oldest first', fixed('/v1/decisions?limit=100&sort=oldest')],
    ['deliveries of all webhooks', fixed('/v1/deliveries?limit=100')],
    ['deliveries of all webhooks, failed', fixed('/v1/deliveries?limit=100&status=failed')],
    ['deliveries of an event', fixed(`/v1/deliveries?limit=100&event_id=${delivery.event_id}`)],
    ['delivery with payload and headers', fixed(`/v1/deliveries/${delivery.id}`)],
    ['health of a webhook, 24 hours', fixed(`/v1/webhooks/${webhook.id}/health?hours=24`)],
    ['policies', fixed('/v1/policies?limit=100')],
    ['hits of all policies, 7 days', fixed(`/v1/policies/hits?limit=100&since=${since(7)}`)],
    [
      'hits of a policy, 30 days',
      at => `/v1/policies/${policies[Math.abs(at) % policies.length].id}/hits?limit=100&since=${since(30)}`,
    ],
    ['budgets', fixed('/v1/budgets?limit=100')],
    ['history of a budget, 24 windows', at => `/v1/budgets/${budgets[Math.abs(at) % 40].id}/history?limit=100`],
    ['history of a budget split by user, first page', fixed(`/v1/budgets/${split.id}/history?limit=100`)],
    [
      'history of one part of a budget split by user',
      at => `/v1/budgets/${split.id}/history?limit=100&part=${users[Math.abs(at) % users.length].id}`,
    ],
    ['parts of a budget split by user', fixed(`/v1/budgets/${split.id}/parts?limit=100`)],
  ];
}

/** For each change, the milliseconds from the answer until a reader of the event stream receives the change. */
async function streamed({ url }, { token }) {
  const left = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/v1/stream?topics=policies`, { headers, signal: left.signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let known = () => {};
  const ready = new Promise(resolve => (known = resolve));
  const reading = (async () => {
    for (let text = ''; ;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const parts = text.split('\n\n');
      text = parts.pop();
      for (const part of parts) if (/event: (ready|change|reset)/.test(part)) known(performance.now());
    }
  })().catch(() => undefined);
  await ready;
  const [{ id }] = (await call(url, token, 'GET', '/v1/policies?limit=1')).items;
  const times = [];
  for (let change = -5; change < CHANGES; change += 1) {
    const told = new Promise(resolve => (known = resolve));
    await call(url, token, 'PUT', `/v1/policies/${id}`, { description: `Change ${change}` });
    const answered = performance.now();
    const at = await told;
    if (change >= 0) times.push(Math.max(0, at - answered));
  }
  left.abort();
  await reading;
  return times;
}

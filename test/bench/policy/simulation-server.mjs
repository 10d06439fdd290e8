// One process with the module, as in production: it simulates, decides over HTTP, and tells what memory it took.
import pg from 'pg';
import { operatorActor } from '../../../dist/libs/access/index.js';
import { DecisionLog, PolicyService, PolicySimulator } from '../../../dist/libs/policy/index.js';
import { RequestJudge } from '../../../dist/libs/policy/decisions/request-judge.js';
import { call, startApp, startDatabase } from '../support/server.mjs';
import { DRAFT, inputOf, load, numberOf, POLICIES, userOf } from './simulation-workload.mjs';

const COUNT = Number(process.env.BENCH_DECISIONS ?? 1_000_000);
const ACTIONS = ['block', 'require_approval', 'alert', 'allow', 'unavailable'];
const MIB = 1024 * 1024;

const database = await startDatabase();
const server = await startApp(database.url, { requestsPerMinute: 0 });
const { app, orgId } = server;
const actor = operatorActor(orgId, 'bench');
const policies = [];
for (const policy of POLICIES) policies.push(await app.get(PolicyService).create(actor, policy));
const live = await call(server.url, server.token, 'POST', '/v1/users', { email: 'live@example.com', name: 'Live' });
const client = new pg.Client({ connectionString: database.url });
await client.connect();
await load(client, orgId, COUNT, Date.now());

// A day more than was loaded: time goes on while this runs.
const request = { draft: DRAFT, policyId: policies[0].id, days: 8 };
const jobs = { simulate, verify, stop };
process.on('message', name => void jobs[name]().then(answer => process.send({ done: name, ...answer })));
process.send({ done: 'start', url: server.url, token: server.token, userId: live.id });

async function simulate() {
  globalThis.gc();
  const rss = () => process.memoryUsage.rss() / MIB;
  const before = rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, rss())), 20);
  const begun = performance.now();
  const cpuBegun = process.cpuUsage();
  const report = await app.get(PolicySimulator).simulate(orgId, request);
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpuBegun);
  const cpu = (user + system) / 1e6;
  clearInterval(timer);
  const { evaluated, matched, changed, newlyRefused, picodollars, usage } = report;
  const figures = { evaluated, matched, changed, newlyRefused, usd: Number(picodollars) / 1e12 };
  const refusedUsd = Number(usage.refusedPicodollars) / 1e12;
  return { seconds, cpu, before, peak, ...figures, refusedUsd, refusedRequests: usage.refusedRequests };
}

/** Every outcome of a simulation, against the live engine on the same requests before and after the real change. */
async function verify() {
  const [before, after] = [new Uint8Array(COUNT).fill(255), new Uint8Array(COUNT).fill(255)];
  // What live decisions have left to be written is written then.
  await app.get(DecisionLog).list(orgId, { limit: 1 });
  const stood = await contents();
  const { newlyRefused } = await app.get(PolicySimulator).simulate(orgId, request, {
    onJudged(id, compared) {
      // Decisions of the latency measurement have other ids.
      if (id.slice(14, 24) !== '7000-8000-') return;
      const number = numberOf(id);
      before[number] = ACTIONS.indexOf(compared.before);
      after[number] = ACTIONS.indexOf(compared.after);
    },
  });
  const written = (await contents()).filter(table => !stood.includes(table));
  const differing = async outcomes => {
    let count = 0;
    for (let number = 0; number < COUNT; number++) {
      const { action } = await app.get(RequestJudge).judge(orgId, inputOf(number), userOf(number));
      if (outcomes[number] !== ACTIONS.indexOf(action)) count++;
    }
    return count;
  };
  const wrongBefore = await differing(before);
  await app.get(PolicyService).update(actor, policies[0].id, DRAFT);
  const wrongAfter = await differing(after);
  const { rows } = await client.query(
    `select sum(e.cost_usd)::float8 as usd from governance.usage_events e
     where e.decision_id = any($1::uuid[])`,
    [await refusedIds(before, after)],
  );
  return { rows: COUNT, wrongBefore, wrongAfter, written, newlyRefused, usd: rows[0].usd };
}

async function refusedIds(before, after) {
  const { rows } = await client.query('select id from governance.decisions where org_id = $1 and user_id <> $2', [
    orgId,
    live.id,
  ]);
  const allowed = code => ACTIONS[code] === 'allow' || ACTIONS[code] === 'alert';
  return rows.map(row => row.id).filter(id => allowed(before[numberOf(id)]) && !allowed(after[numberOf(id)]));
}

/** How many rows each table has, and which transaction wrote to it last; when credentials were used left out. */
async function contents() {
  const { rows } = await client.query(
    `select relname as name from pg_class where relnamespace = 'governance'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname not in ('access_tokens', 'rate_limits') order by relname`,
  );
  const found = [];
  for (const { name } of rows) {
    const state = await client.query(`select count(*), max(xmin::text::bigint) as by from governance.${name}`);
    found.push(`${name} ${state.rows[0].count} ${state.rows[0].by}`);
  }
  return found;
}

async function stop() {
  await client.end();
  await server.stop();
  await database.stop();
  setImmediate(() => process.exit(0));
  return {};
}

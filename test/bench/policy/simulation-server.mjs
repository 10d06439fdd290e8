// One process with the module, as in production. It simulates, decides over HTTP, and reports its memory.
import pg from 'pg';
import { operatorActor } from '../../../dist/libs/access/index.js';
import { DecisionLog, PolicyService, PolicySimulator } from '../../../dist/libs/policy/index.js';
import { RequestJudge } from '../../../dist/libs/policy/decisions/request-judge.js';
import { startApp } from '../support/server.mjs';
import { expectedReport, differencesOf } from './simulation-count.mjs';
import { DRAFT, inputOf, numberOf, userOf } from './simulation-workload.mjs';

const { url, orgId, token, policyId, userId, count: COUNT } = JSON.parse(process.env.BENCH_STAGE);
const ACTIONS = ['block', 'require_approval', 'alert', 'allow', 'unavailable'];
const MB = 1e6;
/** Reading the memory figures from the system takes a quarter of a millisecond. */
const LOOK_MS = 50;

const server = await startApp(url, { requestsPerMinute: 0 });
const { app } = server;
const actor = operatorActor(orgId, 'bench');
const client = new pg.Client({ connectionString: url });
await client.connect();

// One day more than the loaded decisions cover, because the clock advances during the run.
const request = { draft: DRAFT, policyId, days: 8 };
const jobs = { simulate, verify, stop };
process.on('message', name => void jobs[name]().then(answer => process.send({ done: name, ...answer })));
process.send({ done: 'start', url: server.url, token, userId });

async function simulate() {
  const rss = () => process.memoryUsage.rss() / MB;
  const before = rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, rss())), LOOK_MS);
  const begun = performance.now();
  const cpuBegun = process.cpuUsage();
  const report = await app.get(PolicySimulator).simulate(orgId, request);
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpuBegun);
  const cpu = (user + system) / 1e6;
  clearInterval(timer);
  peak = Math.max(peak, rss());
  const { evaluated, matched, changed, newlyRefused, picodollars, usage } = report;
  const figures = { evaluated, matched, changed, newlyRefused, usd: Number(picodollars) / 1e12 };
  const refusedUsd = Number(usage.refusedPicodollars) / 1e12;
  return { seconds, cpu, before, peak, ...figures, refusedUsd, refusedRequests: usage.refusedRequests };
}

/**
 * Compares every result of a simulation with the live engine, on the same requests before and after the real change.
 */
async function verify() {
  const [before, after] = [new Uint8Array(COUNT).fill(255), new Uint8Array(COUNT).fill(255)];
  // Writes the queued records of live decisions before their rows are counted.
  await app.get(DecisionLog).list(orgId, { limit: 1 });
  const stood = await contents();
  const report = await app.get(PolicySimulator).simulate(orgId, request, {
    onJudged(id, compared) {
      // Skips live decisions, whose ids have another form than those of the loaded decisions.
      if (id.slice(14, 24) !== '7000-8000-') return;
      const number = numberOf(id);
      before[number] = ACTIONS.indexOf(compared.before);
      after[number] = ACTIONS.indexOf(compared.after);
    },
  });
  const written = (await contents()).filter(table => !stood.includes(table));
  const lived = [await judgeLive(), undefined];
  await app.get(PolicyService).update(actor, policyId, DRAFT);
  lived[1] = await judgeLive();
  const [wrongBefore, wrongAfter] = [before, after].map((outcomes, at) =>
    outcomes.reduce((sum, action, number) => sum + (action === lived[at].actions[number] ? 0 : 1), 0),
  );
  const refused = await refusedIds(...lived.map(({ actions }) => actions));
  const { rows } = await client.query(
    `select sum(cost_usd)::float8 as usd from governance.usage_events where org_id = $1 and decision_id = any($2::uuid[])`,
    [orgId, refused],
  );
  const expected = expectedReport(lived[0].actions, lived[1], ACTIONS);
  return {
    rows: COUNT,
    wrongBefore,
    wrongAfter,
    written,
    usd: rows[0].usd,
    wrongCounts: differencesOf(report, expected),
  };
}

/** The live engine's answer to every request, and whether the changed policy matches it. */
async function judgeLive() {
  const [actions, matched] = [new Uint8Array(COUNT), new Uint8Array(COUNT)];
  for (let number = 0; number < COUNT; number++) {
    const { action, matches } = await app.get(RequestJudge).judge(orgId, inputOf(number), userOf(number));
    actions[number] = ACTIONS.indexOf(action);
    matched[number] = matches.some(({ policy }) => policy.id === policyId) ? 1 : 0;
  }
  return { actions, matched };
}

async function refusedIds(before, after) {
  const { rows } = await client.query('select id from governance.decisions where org_id = $1 and user_id <> $2', [
    orgId,
    userId,
  ]);
  const allowed = code => ACTIONS[code] === 'allow' || ACTIONS[code] === 'alert';
  return rows.map(row => row.id).filter(id => allowed(before[numberOf(id)]) && !allowed(after[numberOf(id)]));
}

/**
 * The number of rows of each table, and the last transaction that wrote to it. Leaves out the times when credentials
 * were used.
 */
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
  setImmediate(() => process.exit(0));
  return {};
}

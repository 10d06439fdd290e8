// A budget split by person. Measures reservations against one conditional UPDATE, boot time and memory, what the budget
// adds to a decision, and the first request of a new person with a million counters in the table. BENCH_PEOPLE and
// BENCH_COUNTERS set the sizes.
import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { DecisionService } from '../../../dist/libs/policy/index.js';
import { call, median, quantile, startApp, startDatabase } from '../support/server.mjs';
import { ms, perSecond, row } from '../support/row.mjs';

const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 100_000);
const COUNTERS = Number(process.env.BENCH_COUNTERS ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const FIRSTS = 2_000;
const CALLERS = 64;
const LOADS = { hot: 3_000, rows: 3_000, ours: 40_000 };
const QUIET = 4_000;

const database = await startDatabase();
const owner = new pg.Pool({ connectionString: database.url, max: 10 });
// Stopping the database closes idle connections with an error.
owner.on('error', () => undefined);
const options = { requestsPerMinute: 0, outbox: { workers: false } };
let server = await startApp(database.url, options);
const { orgId, token } = server;
await owner.query(
  `insert into governance.users (org_id, id, email, email_key, name, role, status, created_at, updated_at, change_version)
   select $1, md5('user' || n)::uuid, 'u' || n || '@people.example', 'u' || n || '@people.example', 'User ' || n,
     'member', 'active', now(), now(), 1 from generate_series(1, $2) n`,
  [orgId, PEOPLE],
);
await owner.query('analyze governance.users');
const plain = await spread('decisions without a budget');
const terms = { name: 'Each', scope: 'organization', split_by: 'user', period: 'monthly', enforcement: 'block' };
const budget = await call(server.url, token, 'POST', '/v1/budgets', { ...terms, amount_usd: 1_000_000 });
const [{ start, until }] = (
  await owner.query(
    `select date_trunc('month', now(), 'UTC') as start, date_trunc('month', now(), 'UTC') + interval '1 month' as until`,
  )
).rows;

const few = await firstRequests('no');
await fill(COUNTERS);
const many = await firstRequests(COUNTERS);
console.log(`First request of a new person, p99: ${few.toFixed(2)} ms and ${many.toFixed(2)} ms`);
console.log(`  ratio ${(many / few).toFixed(2)} (target: at most 1.5)`);
row({
  figure: 'first request of a new person, p99 with many counters beside few',
  ours: ms(many),
  peer: ms(few),
  ratio: many / few,
  atMost: 1.5,
});

const guarded = await spread('decisions with the budget');
console.log(`  p99 with the budget is ${(guarded / plain).toFixed(2)} times that without`);

await restart('with the counters');
await reservations();

await server.stop();
await owner.end();
await database.stop();

function personOf(number) {
  const text = createHash('md5').update(`user${number}`).digest('hex');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

async function decide(userId) {
  const request = { user_id: userId, provider: 'openai', model: 'gpt-4o' };
  const spend = { estimated_input_tokens: 500, max_output_tokens: 200 };
  const decisions = server.app.get(DecisionService);
  const answer = await decisions.decide(orgId, { ...request, ...spend }, { caller: { tokenId: undefined } });
  if (!answer.allowed) throw new Error(answer.reason);
}

/** Adds counters of people who do not exist. */
async function fill(count) {
  await owner.query(
    `insert into governance.budget_windows (org_id, budget_id, window_start, part, window_end, spent_usd)
     select $1, $2, $3, md5('other' || n)::uuid::text, $4, 1 from generate_series(1, $5) n`,
    [orgId, budget.id, start, until, count],
  );
  await owner.query('vacuum analyze governance.budget_windows');
}

/** p99 in milliseconds of the first decisions of people, one after the other. */
async function firstRequests(counters) {
  firstRequests.next ??= 1;
  const times = [];
  for (let n = 0; n < FIRSTS; n++) {
    const userId = personOf(firstRequests.next++);
    const begun = performance.now();
    await decide(userId);
    times.push(performance.now() - begun);
  }
  console.log(`First requests with ${counters} other counters: median ${median(times).toFixed(2)} ms`);
  // Leaves out the first decisions, which run without prepared statements.
  return quantile(times.slice(FIRSTS / 10), 0.99);
}

/** p99 in milliseconds of decisions, one after the other. */
async function spread(what) {
  const times = [];
  for (let n = 0; n < QUIET; n++) {
    const begun = performance.now();
    await decide(personOf(1 + (n % Math.min(PEOPLE, 500))));
    times.push(performance.now() - begun);
  }
  const late = times.slice(QUIET / 10);
  console.log(`${what}: median ${median(late).toFixed(3)} ms, p99 ${quantile(late, 0.99).toFixed(3)} ms`);
  return quantile(late, 0.99);
}

async function restart(what) {
  await server.stop();
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const begun = performance.now();
  server = { ...(await startApp(database.url, options)), orgId };
  await decide(personOf(1));
  const grown = (process.memoryUsage().rss - before) / 1_048_576;
  console.log(
    `Boot to the first decision ${what}: ${Math.round(performance.now() - begun)} ms, ${grown.toFixed(0)} MB more`,
  );
}

/** Reservations per second with 64 callers: all on one row, and each person on a separate row. */
async function reservations() {
  await owner.query('create table public.bare (id integer primary key, amount numeric, reserved numeric)');
  await owner.query('insert into public.bare select n, 1000000000, 0 from generate_series(0, $1) n', [PEOPLE]);
  await owner.query('vacuum analyze public.bare');
  const { SpendGuard } = await import('../../../dist/libs/governance/index.js');
  const guard = server.app.get(SpendGuard);
  const update = async id => {
    const { rowCount } = await owner.query(
      'update public.bare set reserved = reserved + $1 where id = $2 and reserved + $1 <= amount',
      ['0.012345678901', id],
    );
    if (rowCount !== 1) throw new Error('refused');
  };
  const any = () => 1 + Math.floor(Math.random() * PEOPLE);
  const about = { department: null, provider: 'openai', model: 'gpt-4o', inputTokens: 500, outputTokens: 200 };
  const ways = {
    hot: () => update(0),
    rows: () => update(any()),
    ours: async () => {
      const verdict = await guard.reserve(orgId, {
        ...{ ...about, decisionId: idOf(), userId: personOf(any()), at: new Date() },
      });
      if (!verdict?.allowed) throw new Error(JSON.stringify(verdict));
    },
  };
  const rates = { hot: [], rows: [], ours: [] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const way of ['hot', 'rows', 'ours']) {
      const rate = await measure(ways[way], LOADS[way]);
      if (round >= 0) rates[way].push(rate);
      await owner.query('delete from governance.reservations');
      await owner.query('vacuum governance.reservations, governance.budget_windows');
    }
  }
  console.log(`Reservations per second of ${PEOPLE} people, ${CALLERS} callers`);
  for (const [way, what] of [
    ['hot', 'conditional UPDATE of one row   '],
    ['rows', 'conditional UPDATE of many rows '],
    ['ours', 'the split budget                '],
  ]) {
    console.log(`  ${what} ${Math.round(median(rates[way]))}`);
  }
  const ratio = way => median(rates.ours.map((rate, at) => rate / rates[way][at])).toFixed(1);
  console.log(`  ratio ${ratio('hot')} to one row (target: at least 20), ${ratio('rows')} to many rows`);
  row({
    figure: `reservations of a split budget, ${CALLERS} callers, beside one UPDATE each`,
    ours: perSecond(median(rates.ours), 'requests'),
    peer: perSecond(median(rates.hot), 'requests'),
    ratio: Number(ratio('hot')),
    atLeast: 20,
  });
}

async function measure(request, requests) {
  let left = requests;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (left-- > 0) await request();
    }),
  );
  return requests / ((performance.now() - begun) / 1_000);
}

/** A UUID of version 7, like the ids of decisions. */
function idOf() {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

// Reservations through the budget guard compared with one conditional UPDATE per request, with the same number of
// callers and one hot budget on one durable database. Rounds alternate within one run.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { SpendGuard } from '../../../dist/libs/governance/index.js';
import { median, startApp, startDatabase } from '../support/server.mjs';
import { perSecond, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const POOL = 10;
/** Requests per round and number of callers. The slow variant gets fewer, so that rounds take about equally long. */
const LOADS = [
  { callers: 64, ours: 40_000, theirs: 3_000 },
  { callers: 1_000, ours: 60_000, theirs: 3_000 },
];
const AMOUNT = 1_000_000_000;

const database = await startDatabase();
const server = await startApp(database.url, { listen: false, requestsPerMinute: 0 });
const pool = new pg.Pool({ connectionString: database.url, max: POOL });
const guard = server.app.get(SpendGuard);
const now = new Date();
const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
await pool.query(
  `insert into governance.budgets (org_id, id, name, scope, amount_usd, period, enforcement, counts_from, created_at, updated_at)
   values ($1, gen_random_uuid(), 'Everything', 'organization', $2, 'monthly', 'block', $3, now(), now())`,
  [server.orgId, AMOUNT, month],
);
await pool.query('create table public.bare (id int primary key, amount numeric, spent numeric, reserved numeric)');
await pool.query('insert into public.bare values (1, $1, 0, 0)', [AMOUNT]);
const [alone] = (await pool.query(`insert into public.bare values (2, $1, 0, 0) returning id`, [AMOUNT])).rows;

let counter = 0;
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'o3'];
const ways = {
  theirs: async () => {
    const { rowCount } = await pool.query(
      `update public.bare set reserved = reserved + $1 where id = $2 and reserved + spent + $1 <= amount`,
      ['0.012345678901', alone.id],
    );
    if (rowCount !== 1) throw new Error('refused');
  },
  ours: async () => {
    const number = counter++;
    const verdict = await guard.reserve(server.orgId, {
      decisionId: idOf(number),
      userId: 'somebody',
      department: null,
      provider: 'openai',
      model: MODELS[number % MODELS.length],
      inputTokens: 500 + (number % 3_000),
      outputTokens: 200 + (number % 700),
      at: new Date(),
    });
    if (!verdict?.allowed) throw new Error(JSON.stringify(verdict));
  },
};

for (const load of LOADS) {
  const rates = { theirs: [], ours: [] };
  for (let round = -2; round < ROUNDS; round++) {
    for (const way of ['theirs', 'ours']) {
      const rate = await measure(ways[way], load.callers, load[way]);
      if (round >= 0) rates[way].push(rate);
      // In production, reservations are settled, so the table stays as small as it is here.
      await settleAll();
    }
  }
  const ratios = rates.ours.map((rate, at) => rate / rates.theirs[at]);
  console.log(`Reservations against one budget, ${load.callers} callers`);
  console.log(`  one conditional UPDATE per request ${Math.round(median(rates.theirs))}/s`);
  console.log(`  the guard of budgets               ${Math.round(median(rates.ours))}/s`);
  console.log(`  ratio                              ${median(ratios).toFixed(1)} (target: at least 20)`);
  row({
    figure: `reservations of ${load.callers} callers, beside one UPDATE each`,
    ours: perSecond(median(rates.ours), 'requests'),
    peer: perSecond(median(rates.theirs), 'requests'),
    ratio: median(ratios),
    atLeast: 25,
  });
}

await pool.end();
await server.stop();
await database.stop();

async function measure(request, callers, requests) {
  let left = requests;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) await request();
    }),
  );
  return requests / ((performance.now() - begun) / 1_000);
}

async function settleAll() {
  const { rows } = await pool.query(
    `select (select sum(amount_usd) from governance.reservations)::text as held,
       (select sum(reserved_usd) from governance.budget_windows)::text as reserved`,
  );
  if ((rows[0].held ?? rows[0].reserved) !== rows[0].reserved) throw new Error(JSON.stringify(rows[0]));
  await pool.query('delete from governance.reservations');
  await pool.query('update governance.budget_windows set reserved_usd = 0');
  await pool.query('vacuum governance.reservations, governance.budget_windows');
}

/** A UUID of version 7, like the ids of decisions. */
function idOf(number) {
  const time = Date.now().toString(16).padStart(12, '0');
  const tail = randomPool(number);
  const count = (number & 0xfff).toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-8${tail.slice(0, 3)}-${tail.slice(3, 15)}`;
}

function randomPool(number) {
  randomPool.texts ??= Array.from({ length: 4_096 }, () => randomBytes(8).toString('hex'));
  return randomPool.texts[number % 4_096];
}

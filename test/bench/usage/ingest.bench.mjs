// Ingestion in process compared with a bare INSERT … SELECT unnest of the same rows into a table with the same key, and
// over HTTP. Rounds alternate within one run.
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { UsageIngestion } from '../../../dist/libs/usage/index.js';
import { call, median, startApp, startDatabase } from '../support/server.mjs';
import { batchOf, batchOfStrangers, EMAILS } from './events.mjs';
import { perSecond, row } from '../support/row.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const BATCHES = Number(process.env.BENCH_BATCHES ?? 96);
const SIZE = 1_000;
const IN_FLIGHT = 16;

const database = await startDatabase();
const server = await startApp(database.url, { requestsPerMinute: 0 });
const pool = new pg.Pool({ connectionString: database.url, max: IN_FLIGHT });
await pool.query(
  'create table public.bare (like governance.usage_events, fingerprint bytea not null, primary key (org_id, id))',
);

const ids = new Map();
const strangers = Array.from({ length: SIZE }, (_, number) => `stranger${number}@people.example`);
for (const email of [...EMAILS, ...strangers]) {
  ids.set(email, (await call(server.url, server.token, 'POST', '/v1/users', { email, name: email })).id);
}

const ingestion = server.app.get(UsageIngestion);
const ours = async batch => {
  const receipt = await ingestion.record(server.orgId, batch);
  if (receipt.accepted !== batch.length) throw new Error(`only ${receipt.accepted} of ${batch.length} accepted`);
};
const runs = {
  bare: { make: () => batchOf(SIZE, Date.now()), run: insertBare },
  ours: { make: () => batchOf(SIZE, Date.now()), run: ours },
  strangers: { make: () => batchOfStrangers(SIZE, strangers, Date.now()), run: ours },
};
const rates = { bare: [], ours: [], strangers: [] };
const round = async (name, isCounted) => {
  const batches = Array.from({ length: BATCHES }, runs[name].make);
  const rate = (BATCHES * SIZE) / (await seconds(batches, runs[name].run));
  if (isCounted) rates[name].push(rate);
};
for (let number = -2; number < ROUNDS; number++) {
  await round('bare', number >= 0);
  await round('ours', number >= 0);
}
for (let number = -1; number < ROUNDS; number++) await round('strangers', number >= 0);
const ratioOf = name => median(rates[name].map((rate, at) => rate / rates.bare[at])).toFixed(2);
console.log(`Ingestion, batches of ${SIZE} events, ${IN_FLIGHT} at a time`);
console.log(`  bare INSERT … SELECT unnest   ${Math.round(median(rates.bare))} rows/s`);
console.log(`  in process                    ${Math.round(median(rates.ours))} events/s`);
console.log(`  ratio                         ${ratioOf('ours')} (target: at least 0.50)`);
console.log(
  `  worst case: 1,000 people once ${Math.round(median(rates.strangers))} events/s, ratio ${ratioOf('strangers')}`,
);
row({
  figure: 'ingestion in process, beside a bare INSERT … SELECT unnest',
  ours: perSecond(median(rates.ours), 'events'),
  peer: perSecond(median(rates.bare), 'rows'),
  ratio: Number(ratioOf('ours')),
  atLeast: 0.6,
});
row({
  figure: 'ingestion of 1,000 people once each, beside the same',
  ours: perSecond(median(rates.strangers), 'events'),
  peer: perSecond(median(rates.bare), 'rows'),
  ratio: Number(ratioOf('strangers')),
});

const sender = fork(fileURLToPath(new URL('ingest-sender.mjs', import.meta.url)));
sender.send({ url: server.url, token: server.token, rounds: ROUNDS, batches: BATCHES, inFlight: IN_FLIGHT });
const [http] = await once(sender, 'message');
console.log(`  over HTTP                     ${Math.round(median(http))} events/s (target: at least 25,000)`);
row({
  figure: 'ingestion over HTTP, events/s',
  ours: perSecond(median(http), 'events'),
  value: median(http),
  atLeast: 25_000,
});
sender.kill();

await pool.end();
await server.stop();
await database.stop();

async function seconds(batches, run) {
  const begun = performance.now();
  const waiting = [...batches];
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let batch = waiting.pop(); batch; batch = waiting.pop()) await run(batch);
    }),
  );
  return (performance.now() - begun) / 1_000;
}

/** Inserts the same row in the simplest way: arrays of the driver, no rollups, no checks, no prices. */
function insertBare(batch) {
  const each = value => batch.map(value);
  const fingerprint = Buffer.alloc(16, 1);
  return pool.query(
    `insert into public.bare (org_id, received_at, id, fingerprint, user_id, provider, model, occurred_at, input_tokens,
       output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, requests, cost_usd, price_source,
       price_version)
     select $1::uuid, now(), b.* from unnest($2::text[], $3::bytea[], $4::uuid[], $5::text[], $6::text[],
       $7::timestamptz[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::integer[],
       $14::numeric[], $15::text[], $16::text[]) b`,
    [
      server.orgId,
      each(event => event.id),
      each(() => fingerprint),
      each(event => ids.get(event.user_email)),
      each(event => event.provider),
      each(event => event.model),
      each(event => event.occurred_at),
      each(event => event.input_tokens),
      each(event => event.output_tokens),
      each(() => 0),
      each(() => 0),
      each(() => 0),
      each(() => 1),
      each(() => '0.001234500000'),
      each(() => 'genai-prices'),
      each(() => '0.1.8'),
    ],
  );
}

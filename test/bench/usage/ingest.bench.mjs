// Ingestion in process against a bare INSERT … SELECT unnest of the same rows into a table with the same key, and over
// HTTP. Rounds alternate within one run.
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { UsageIngestion } from '../../../dist/libs/usage/index.js';
import { call, median, startApp, startDatabase } from '../support/server.mjs';
import { batchOf } from './events.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const BATCHES = Number(process.env.BENCH_BATCHES ?? 40);
const SIZE = 1_000;
const IN_FLIGHT = 4;

const database = await startDatabase();
const server = await startApp(database.url, { requestsPerMinute: 0 });
const pool = new pg.Pool({ connectionString: database.url, max: IN_FLIGHT });
await pool.query(`create table public.bare (
  org_id uuid, id text collate "C", user_id uuid, provider text, model text, occurred_at timestamptz,
  received_at timestamptz, input_tokens bigint, output_tokens bigint, primary key (org_id, id))`);

const emails = Array.from({ length: 200 }, (_, number) => `person${number}@people.example`);
const ids = new Map();
for (const email of emails) {
  ids.set(email, (await call(server.url, server.token, 'POST', '/v1/users', { email, name: email })).id);
}

const ingestion = server.app.get(UsageIngestion);
const runs = {
  bare: batch => insertBare(batch),
  ours: async batch => {
    const receipt = await ingestion.record(server.orgId, batch);
    if (receipt.accepted !== batch.length) throw new Error(`only ${receipt.accepted} of ${batch.length} accepted`);
  },
};
const rates = { bare: [], ours: [] };
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(runs)) {
    const batches = Array.from({ length: BATCHES }, () => batchOf(SIZE, emails, Date.now()));
    const rate = (BATCHES * SIZE) / (await seconds(batches, run));
    if (round >= 0) rates[name].push(rate);
  }
}
console.log(`Ingestion, batches of ${SIZE} events, ${IN_FLIGHT} at a time, ${emails.length} people, 3 models`);
console.log(`  bare INSERT … SELECT unnest  ${Math.round(median(rates.bare))} rows/s`);
console.log(`  in process                   ${Math.round(median(rates.ours))} events/s`);
const ratios = rates.ours.map((rate, round) => rate / rates.bare[round]);
console.log(`  ratio                        ${median(ratios).toFixed(2)} (target: at least 0.50)`);

const sender = fork(fileURLToPath(new URL('ingest-sender.mjs', import.meta.url)));
sender.send({ url: server.url, token: server.token, emails, rounds: ROUNDS, batches: BATCHES, inFlight: IN_FLIGHT });
const [http] = await once(sender, 'message');
console.log(`  over HTTP                    ${Math.round(median(http))} events/s (target: at least 25,000)`);
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

function insertBare(batch) {
  return pool.query(
    `insert into public.bare
     select $1::uuid, b.id, b.user_id, b.provider, b.model, b.occurred_at, now(), b.input, b.output
     from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::bigint[], $8::bigint[])
       as b (id, user_id, provider, model, occurred_at, input, output)`,
    [
      server.orgId,
      batch.map(event => event.id),
      batch.map(event => ids.get(event.user_email)),
      batch.map(event => event.provider),
      batch.map(event => event.model),
      batch.map(event => event.occurred_at),
      batch.map(event => event.input_tokens),
      batch.map(event => event.output_tokens),
    ],
  );
}

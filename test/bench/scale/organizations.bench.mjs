// Organizations in one database, 1 and 10,000 by default, each with ten people and twenty policies. Measures how long a
// process takes to its first decision, the first decision of each organization, and later decisions. Each size has its
// own database and process; the decisions take turns. Takes about four minutes.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { ms, row } from '../support/row.mjs';
import { quantile, startApp, startDatabase } from '../support/server.mjs';
import { GovernanceOperations } from '../../../dist/libs/governance/index.js';

const SIZES = (process.env.BENCH_ORGANIZATIONS ?? '1,10000').split(',').map(Number);
const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 20_000);
const ROUNDS = 5;

const database = await startDatabase(['max_connections=200']);
const admin = new pg.Client({ connectionString: database.url });
await admin.connect();
const sites = [];
for (const size of SIZES) sites.push(await makeSite(size));
const firsts = [];
for (const site of sites) firsts.push(await site.ask('firsts', {}));
const laters = sites.map(() => []);
for (let round = 0; round < ROUNDS; round++) {
  for (const [at, site] of sites.entries()) {
    laters[at].push(...(await site.ask('laters', { count: DECISIONS / ROUNDS })).times);
  }
}
console.log(`Organizations with 10 people and 20 policies each, in one database; decisions in process`);
for (const [at, { size, boot, rss }] of sites.entries()) {
  const first = firsts[at];
  const p = (times, share) => `${quantile(times, share).toFixed(3)} ms`;
  console.log(`  ${size} organizations`);
  console.log(`    boot to the first decision   ${Math.round(boot)} ms, resident ${mib(rss)} MiB`);
  console.log(`    first decision of each       p50 ${p(first.times, 0.5)}, p99 ${p(first.times, 0.99)}`);
  console.log(`    resident after these         ${mib(first.rss)} MiB, heap after collection ${mib(first.heap)} MiB`);
  console.log(`    later decisions              p50 ${p(laters[at], 0.5)}, p99 ${p(laters[at], 0.99)}`);
}
const [few, many] = [sites[0], sites.at(-1)];
const figure = what => `${what}, ${many.size} organizations beside ${few.size}`;
const p99 = laters.map(times => quantile(times, 0.99));
row({ figure: figure('boot'), ours: ms(many.boot, 0), peer: ms(few.boot, 0), ratio: many.boot / few.boot });
row({
  figure: figure('heap after a decision of each'),
  ours: `${mib(firsts.at(-1).heap)} MiB`,
  peer: `${mib(firsts[0].heap)} MiB`,
  ratio: firsts.at(-1).heap / firsts[0].heap,
});
row({ figure: figure('decision p99'), ours: ms(p99.at(-1), 3), peer: ms(p99[0], 3), ratio: p99.at(-1) / p99[0] });
for (const site of sites) await site.stop();
await admin.end();
await database.stop();

/** A database with organizations, and a process that decides for them. */
async function makeSite(size) {
  const url = new URL(database.url);
  url.pathname = `/organizations_${size}`;
  await admin.query(`create database organizations_${size}`);
  const server = await startApp(url.href, { outbox: { workers: false } });
  const operations = server.app.get(GovernanceOperations);
  for (let number = 1; number < size; number++) await operations.createOrganization(`Organization ${number}`);
  await server.stop();
  const owner = new pg.Client({ connectionString: url.href });
  await owner.connect();
  await owner.query(`insert into governance.users (org_id, id, email, email_key, name, department, role, status,
      suspension_causes, created_at, updated_at, change_version)
    select o.id, md5(o.id || 'user' || n)::uuid, 'u' || n || '@people.example', 'u' || n || '@people.example', 'User ' || n,
      'Department ' || n % 5, 'member', 'active', '{}', now(), now(), 1
    from governance.organizations o cross join generate_series(1, 10) n`);
  await owner.query(`insert into governance.policies (org_id, id, name, model, action, conditions, created_at, updated_at)
    select o.id, md5(o.id || 'policy' || n)::uuid, 'Policy ' || n, 'model-' || n, 'block',
      jsonb_build_object('department', jsonb_build_object('in', jsonb_build_array('Department ' || 10 + n))), now(), now()
    from governance.organizations o cross join generate_series(1, 20) n`);
  const { rows } = await owner.query('select id from governance.organizations order by id');
  await owner.query('vacuum analyze');
  await owner.end();
  const child = fork(fileURLToPath(new URL('organizations-process.mjs', import.meta.url)), [url.href], {
    execArgv: ['--expose-gc'],
  });
  const ask = (what, details) =>
    new Promise((resolve, reject) => {
      const ended = code => reject(new Error(`the process of ${size} organizations ended with ${code}`));
      child.once('exit', ended);
      child.once('message', result => {
        child.off('exit', ended);
        resolve(result);
      });
      child.send({ what, ...details });
    });
  const { boot, rss } = await ask('start', { orgIds: rows.map(({ id }) => id) });
  const stop = () =>
    new Promise(ended => {
      child.once('exit', ended);
      child.send({ what: 'stop' });
    });
  return { size, boot, rss, ask, stop };
}

function mib(bytes) {
  return Math.round(bytes / 2 ** 20);
}

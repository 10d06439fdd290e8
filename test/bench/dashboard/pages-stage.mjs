// An organization of 100,000 people with 90 days of usage, decisions, incidents, deliveries and budgets, created by
// SQL. Reports read rollups. The rollups are computed from events that are created day by day and not kept. Rows that
// only an API call can create, such as the audit log, are left out.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startApp } from '../support/server.mjs';

const DAY_MS = 86_400_000;
const POLICIES = 20;
const BUDGETS = 50;
const WEBHOOKS = 5;
/** Calls of one person to one model within a quarter of an hour: agents and chats call several times. */
const CALLS = 5;
const EVENT_DAYS = 30;
const FIGURES = `requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
  cost_usd, unpriced_requests, list_cost_usd`;
const SUMS = FIGURES.split(/,\s+/)
  .map(name => `sum(${name})`)
  .join(', ');
/** A UUID of version 7 from a time and a unique text. */
const idAt = (time, text) =>
  `(lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || '7' || left(md5(${text}), 3) || '8'
    || substr(md5(${text}), 4, 15))::uuid`;
const userId = index => `md5('user' || (${index}))::uuid`;

/**
 * Fills a database, or continues an interrupted run. A folder that is already complete is not filled again.
 * @returns the organization and its sizes
 */
export async function stage(url, folder, sizes) {
  const file = join(folder, 'site.json');
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (known?.complete) return known;
  mkdirSync(folder, { recursive: true });
  const site = known ?? (await organization(url, sizes));
  const save = () => writeFileSync(file, JSON.stringify(site));
  save();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    await owner.query(`set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '256MB'`);
    const run = (text, values = []) => owner.query(text, values);
    /** @type {[string, () => Promise<unknown>][]} */
    const steps = [
      ['people', () => people(run, site)],
      ['without indexes', () => dropIndexes(run, site)],
      ...Array.from({ length: site.days }, (_, day) => [`usage of day ${day}`, () => usageOf(run, site, day)]),
      ['indexes', () => makeIndexes(run, site)],
      ...Array.from({ length: site.days }, (_, day) => [`decisions of day ${day}`, () => decisionsOf(run, site, day)]),
      ['hits', () => hits(run, site)],
      ['incidents', () => incidents(run, site)],
      ['deliveries', () => deliveries(run, site)],
      ['budgets', () => budgets(run, site)],
      ['vacuum', () => run('vacuum analyze')],
    ];
    for (const [name, step] of steps.slice(site.done)) {
      const begun = performance.now();
      await step();
      site.done += 1;
      save();
      process.stderr.write(`${name}: ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
    }
  } finally {
    await owner.end();
  }
  site.complete = true;
  save();
  return site;
}

async function organization(url, { events, people, decisions, incidents, deliveries, days }) {
  const server = await startApp(url, { requestsPerMinute: 0, outbox: { workers: false } });
  const { orgId, token } = server;
  await server.stop();
  // The last day ends with the current hour, so that "the last 7 days" are complete.
  const end = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  return { orgId, token, end, events, people, decisions, incidents, deliveries, days, done: 0, indexes: [] };
}

const startOf = ({ end, days }, day) => new Date(end - (days - day) * DAY_MS).toISOString();

async function people(run, { orgId, people: count }) {
  // Departments of different sizes: the first has about a third of the people.
  await run(
    `insert into governance.users (org_id, id, email, email_key, name, department, role, status, last_active_at,
       created_at, updated_at, change_version)
     select $1, ${userId('n')}, 'u' || n || '@people.example', 'u' || n || '@people.example', 'User ' || n,
       'Department ' || floor(9 * power((n * 7919 % 1000) / 1000.0, 2))::int, 'member', 'active', now(), now(), now(), 1
     from generate_series(0, $2::int - 1) n`,
    [orgId, count],
  );
  await run(
    `insert into governance.usage_attributions (org_id, id, shared_id, department, project)
     select $1, md5('a' || d)::uuid, md5('a' || d)::uuid, 'Department ' || d, 'Project ' || d % 4
     from generate_series(0, 8) d`,
    [orgId],
  );
  await run(
    `insert into governance.usage_dimension_values (org_id, dimension, value, first_seen)
     select $1, v.dimension, v.name || n, now() from (values ('model', 'model-', 5), ('provider', 'provider-', 2),
       ('department', 'Department ', 8), ('project', 'Project ', 3)) v (dimension, name, most)
     cross join lateral generate_series(0, v.most) n`,
    [orgId],
  );
  await run('analyze governance.users');
}

/**
 * Secondary indexes of the rollups are created at the end. This is many times faster than updating the indexes row by
 * row.
 */
async function dropIndexes(run, site) {
  const { rows } = await run(
    `select indexname, indexdef from pg_indexes where schemaname = 'governance'
       and tablename in ('usage_hourly', 'usage_daily') and indexname not like '%\\_key'`,
  );
  site.indexes = rows.map(({ indexdef }) => indexdef);
  for (const { indexname } of rows) await run(`drop index governance.${indexname}`);
}

async function makeIndexes(run, { indexes }) {
  for (const definition of indexes) await run(definition);
  await run('analyze governance.usage_hourly');
  await run('analyze governance.usage_daily');
}

/**
 * The rollups of a day of events: the top 5 % of the people cause about half of them, and all people use two models.
 * The events themselves are not kept, because no page reads them.
 */
async function usageOf(run, site, day) {
  const { orgId, events, people: count, days } = site;
  const [from, until] = [startOf(site, day), startOf(site, day + 1)];
  const ofDay = Math.round(events / days);
  await run('begin');
  await run(
    `create temporary table made on commit drop as
     select date_trunc('hour', at, 'UTC') as hour, (extract(minute from at)::int / 15)::smallint as quarter, person,
       (person + case when n % 4 = 0 then 1 else 0 end) % 6 as model,
       floor(9 * power((person * 7919 % 1000) / 1000.0, 2))::int as department, 500 + n % 3000 as input, 50 + n % 500 as output,
       0.001 * (1 + n % 7) as cost
     from (
       select n, floor(power(random(), 4) * $3)::int as person,
         $1::timestamptz + (n::float8 / $2) * interval '1 day' as at
       from generate_series(0, $2::int - 1) n) drawn`,
    [from, Math.round(ofDay / CALLS), count],
  );
  await run(
    `insert into governance.usage_hourly (org_id, hour, user_id, model, provider, attribution_id, quarter, ${FIGURES})
     select $1, hour, ${userId('person')}, 'model-' || model, 'provider-' || model % 3, md5('a' || department)::uuid, quarter,
       count(*) * ${CALLS}, sum(input) * ${CALLS}, sum(output) * ${CALLS}, 0, 0, 0,
       case when model < 5 then sum(cost) * ${CALLS} else 0 end, case when model < 5 then 0 else count(*) * ${CALLS} end,
       case when model < 5 then sum(cost) * ${CALLS} else 0 end
     from made group by hour, person, model, department, quarter order by hour, ${userId('person')}`,
    [orgId],
  );
  // A day of this organization covers parts of two UTC days. Both are summed.
  await run(
    `insert into governance.usage_daily as t (org_id, day, user_id, model, provider, attribution_id, ${FIGURES})
     select org_id, (hour at time zone 'UTC')::date, user_id, model, provider, attribution_id, ${SUMS}
     from governance.usage_hourly where org_id = $1 and hour >= $2 and hour < $3 group by 1, 2, 3, 4, 5, 6
     on conflict (org_id, day, user_id, model, provider, attribution_id) do update set ${added('t')}`,
    [orgId, from, until],
  );
  const grains = { 15: `hour + quarter * interval '15 minutes'`, 60: 'hour', 1440: `date_trunc('day', hour, 'UTC')` };
  for (const [minutes, start] of Object.entries(grains)) {
    await run(
      `insert into governance.usage_totals as t (org_id, grain_minutes, start, attribution_id, model, provider, ${FIGURES})
       select org_id, ${minutes}, ${start}, attribution_id, model, provider, ${SUMS}
       from governance.usage_hourly where org_id = $1 and hour >= $2 and hour < $3 group by 1, 2, 3, 4, 5, 6
       on conflict (org_id, grain_minutes, start, attribution_id, model, provider) do update set ${added('t')}`,
      [orgId, from, until],
    );
  }
  await run('commit');
}

function added(table) {
  return FIGURES.split(/,\s+/)
    .map(name => `${name} = ${table}.${name} + excluded.${name}`)
    .join(', ');
}

/** Policies, and a day of decisions: 4 % match one of the policies, and half of these are refused. */
async function decisionsOf(run, site, day) {
  const { orgId, decisions, people: count, days } = site;
  const [from, until] = [startOf(site, day), startOf(site, day + 1)];
  if (day === 0) await policies(run, site);
  for (const date of new Set([from.slice(0, 10), until.slice(0, 10)])) await partition(run, 'decisions', date);
  await run(
    `insert into governance.decisions (org_id, id, occurred_at, user_id, user_email, provider, model, action, allowed,
       reason, policies, attributes, policy_revision)
     select $1, ${idAt('at', `'d' || $2 || '-' || n`)}, at, ${userId('person')}, 'u' || person || '@people.example',
       'provider-' || n % 3, 'model-' || n % 6, case when p is null then 'allow' when p % 2 = 0 then 'block' else 'alert' end,
       p is null or p % 2 = 1, case when p is null then 'no_policy_matched' else 'policy' end,
       case when p is null then '[]'::jsonb else jsonb_build_array(jsonb_build_object('id', md5('policy' || p)::uuid,
         'name', 'Policy ' || p, 'action', case when p % 2 = 0 then 'block' else 'alert' end, 'version', 1,
         'matched_conditions', '[]'::jsonb)) end,
       jsonb_build_object('department', 'Department 1', 'role', 'member', 'status', 'active'), 1
     from (
       select n, floor(power(random(), 4) * $4)::int as person,
         case when n % 25 = 0 then floor(power(random(), 2) * ${POLICIES})::int end as p,
         $3::timestamptz + (n::float8 / $5) * interval '1 day' as at
       from generate_series(0, $5::int - 1) n) drawn`,
    [orgId, String(day), from, count, Math.round(decisions / days)],
  );
}

async function policies(run, { orgId, end, days }) {
  const at = new Date(end - days * DAY_MS).toISOString();
  await run(
    `insert into governance.policies (org_id, id, name, model, action, severity, version, created_at, updated_at)
     select $1, md5('policy' || p)::uuid, 'Policy ' || p, 'model-' || p % 6,
       case when p % 2 = 0 then 'block' else 'alert' end, 'high', 1, $2, $2 from generate_series(0, ${POLICIES - 1}) p`,
    [orgId, at],
  );
  await run(
    `insert into governance.policy_versions (org_id, policy_id, version, revision, change, changed_fields, content,
       policy_created_at, changed_at, changed_by)
     select org_id, id, 1, row_number() over (order by id), 'created', '{}', jsonb_build_object('name', name,
       'description', null, 'model', model, 'action', action, 'conditions', '{}'::jsonb, 'enabled', true, 'severity',
       severity), $2, $2, '{"kind": "token", "id": "bench", "name": "bench", "user_id": null}'
     from governance.policies where org_id = $1`,
    [orgId, at],
  );
}

async function partition(run, table, date) {
  const name = `${table}_${date.replaceAll('-', '')}`;
  const { rows } = await run('select to_regclass($1) as there', [`governance.${name}`]);
  if (rows[0].there !== null) return;
  const { rows: ids } = await run(
    `select governance.first_id_of($1::date) as first, governance.first_id_of($1::date + 1) as next`,
    [date],
  );
  await run(
    `create table governance.${name} partition of governance.${table} for values from ('${ids[0].first}') to ('${ids[0].next}')`,
  );
}

async function hits(run, { orgId }) {
  await run(
    `insert into governance.policy_hits (org_id, policy_id, quarter, hits, decided, refused, last_at)
     select d.org_id, (p.value ->> 'id')::uuid, date_bin('15 minutes', d.occurred_at, '2000-01-01Z'), count(*), count(*),
       count(*) filter (where not d.allowed), max(d.occurred_at)
     from governance.decisions d cross join lateral jsonb_array_elements(d.policies) p
     where d.org_id = $1 group by 1, 2, 3`,
    [orgId],
  );
}

/** A tenth is open. No person has two open incidents of one policy. */
async function incidents(run, { orgId, incidents: count, end, days }) {
  await run(
    `insert into governance.incidents (org_id, id, type, severity, status, user_id, user_email, policy_id, provider, model,
       details, occurrences, first_seen_at, last_seen_at, resolved_at, resolved_by, change_version)
     select $1, ${idAt('at', `'i' || n`)}, 'policy_violation', (array['critical', 'high', 'medium', 'low'])[1 + n % 4],
       case when n % 10 = 0 then 'open' else 'resolved' end, ${userId('n')}, 'u' || n || '@people.example',
       md5('policy' || n % ${POLICIES})::uuid, 'provider-0', 'model-' || n % 6, '{}', 1 + n % 9, at, at,
       case when n % 10 > 0 then at end, case when n % 10 > 0 then '{"kind": "token", "id": "bench", "name": "bench"}'::jsonb end, n + 1
     from (
       select n, $2::timestamptz - ($3::int - n) * interval '1 second' * ($4::float8 * 86400 / $3::int) as at
       from generate_series(0, $3::int - 1) n) made`,
    [orgId, new Date(end).toISOString(), count, days],
  );
}

/** Deliveries of the retained days. One in a hundred failed. */
async function deliveries(run, { orgId, deliveries: count, end }) {
  for (let day = 0; day <= EVENT_DAYS; day += 1) {
    const date = new Date(end - day * DAY_MS).toISOString().slice(0, 10);
    for (const table of ['events', 'webhook_deliveries', 'webhook_attempts']) await partition(run, table, date);
  }
  await run(
    `insert into governance.webhooks (org_id, id, url, created_at, updated_at)
     select $1, md5('webhook' || n)::uuid, 'https://hooks-' || n || '.example.com/in', now(), now()
     from generate_series(0, ${WEBHOOKS - 1}) n`,
    [orgId],
  );
  const made = `(
    select n, $2::timestamptz - ($3::int - n) * interval '1 second' * (${EVENT_DAYS} * 86400.0 / $3::int) as at,
      md5('webhook' || n % ${WEBHOOKS})::uuid as webhook, n % 100 = 0 as is_failed
    from generate_series(0, $3::int - 1) n) made`;
  const values = [orgId, new Date(end).toISOString(), count];
  await run(
    `insert into governance.events (org_id, id, type, created_at, body)
     select $1, ${idAt('at', `'e' || n`)}, 'policy_violation', at,
       convert_to('{"id":"evt","type":"policy_violation","data":{"alert_id":"' || n || '"}}', 'UTF8') from ${made}`,
    values,
  );
  await run(
    `insert into governance.webhook_deliveries (org_id, id, event_id, webhook_id, event_type, status, attempts, created_at,
       ended_at)
     select $1, ${idAt('at', `'v' || n`)}, ${idAt('at', `'e' || n`)}, webhook, 'policy_violation',
       case when is_failed then 'failed' else 'delivered' end, case when is_failed then 5 else 1 end, at, at from ${made}`,
    values,
  );
  await run(
    `insert into governance.webhook_attempts (org_id, id, delivery_id, webhook_id, number, trigger, started_at, duration_ms,
       http_status, response_body)
     select $1, ${idAt('at', `'t' || n`)}, ${idAt('at', `'v' || n`)}, webhook, 1, 'schedule', at, 20 + n % 200,
       case when is_failed then 500 else 204 end, '' from ${made}`,
    values,
  );
  await run(
    `insert into governance.webhook_hours (org_id, webhook_id, hour, attempts, succeeded, timeouts, duration_ms, latencies,
       last_success_at, last_failure_at)
     select org_id, webhook_id, date_trunc('hour', started_at, 'UTC'), count(*), count(*) filter (where http_status = 204), 0,
       sum(duration_ms), '{}', max(started_at) filter (where http_status = 204), max(started_at) filter (where http_status = 500)
     from governance.webhook_attempts where org_id = $1 group by 1, 2, 3`,
    [orgId],
  );
}

/** Budgets with 24 windows each, and one budget split by user with three windows per user. */
async function budgets(run, { orgId, people: count, end }) {
  const month = `date_trunc('month', $2::timestamptz, 'UTC')`;
  await run(
    `insert into governance.budgets (org_id, id, name, scope, department, amount_usd, period, enforcement, counts_from,
       created_at, updated_at, split_by)
     select $1, md5('budget' || n)::uuid, 'Budget ' || n, case when n % 2 = 0 then 'organization' else 'department' end,
       case when n % 2 = 1 then 'Department ' || n % 9 end, 100000, 'monthly', 'notify', $2::timestamptz - interval '2 years', $2, $2,
       case when n = 0 then 'user' end
     from generate_series(0, ${BUDGETS - 1}) n`,
    [orgId, new Date(end).toISOString()],
  );
  await run(
    `insert into governance.budget_windows (org_id, budget_id, window_start, window_end, part, spent_usd, warned_at, warned)
     select $1, md5('budget' || n)::uuid, ${month} - m * interval '1 month', ${month} - (m - 1) * interval '1 month', '',
       70000 + 1000 * n, case when n > 10 then ${month} end, case when n > 10 then 0.8 end
     from generate_series(1, ${BUDGETS - 1}) n, generate_series(0, 23) m`,
    [orgId, new Date(end).toISOString()],
  );
  await run(
    `insert into governance.budget_windows (org_id, budget_id, window_start, window_end, part, spent_usd)
     select $1, md5('budget0')::uuid, ${month} - m * interval '1 month', ${month} - (m - 1) * interval '1 month',
       ${userId('n')}::text, n % 90
     from generate_series(0, $3::int - 1) n, generate_series(0, 2) m`,
    [orgId, new Date(end).toISOString(), count],
  );
  await run(
    `insert into governance.budget_alerts (org_id, budget_id, window_start, part, event_id, threshold, amount_usd, spent_usd,
       sent_at)
     select org_id, budget_id, window_start, part, gen_random_uuid(), 0.8, 100000, spent_usd, window_start
     from governance.budget_windows where org_id = $1 and warned_at is not null`,
    [orgId],
  );
}

// A week of decisions, generated once by PostgreSQL and once here. Both ways give the same person and request for each
// number.

/** People of the decisions. One in a hundred is unknown, and one suspended. */
const PEOPLE = 5_000;
const MODELS = [
  'gpt-4o',
  'gpt-4o-mini',
  'o3',
  'claude-sonnet',
  'claude-opus',
  'gemini-pro',
  'llama-70b',
  'mistral-large',
];
const DEPARTMENTS = ['Sales', 'Research', 'Engineering', 'Finance', 'Support', 'Legal', 'Marketing', 'Operations'];
const PROJECTS = 50;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const idOf = number => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
const isUnknown = person => person % 100 === 99;
const personOf = number => (number * 7_919) % PEOPLE;
/**
 * The project changes only after all people have requested every model. Of a million requests, 280,000 are different.
 */
const projectOf = number => Math.floor(number / (PEOPLE * MODELS.length)) % PROJECTS;

/** The person of the request with this number, as the directory returns it. */
export function userOf(number) {
  const person = personOf(number);
  if (isUnknown(person)) return undefined;
  return {
    id: idOf(person),
    email: `user${person}@example.com`,
    name: `User ${person}`,
    department: person % 20 === 0 ? null : DEPARTMENTS[person % DEPARTMENTS.length],
    role: person % 50 === 0 ? 'admin' : 'member',
    status: person % 100 === 98 ? 'suspended' : 'active',
    attributes: { level: person % 7, country: person % 3 === 0 ? 'DE' : 'FR' },
  };
}

/** The requested model and attributes. Every fourth request names its project. */
export function inputOf(number) {
  const person = personOf(number);
  return {
    user_id: idOf(person),
    user_email: `user${person}@example.com`,
    model: MODELS[Math.floor(number / PEOPLE) % MODELS.length],
    provider: 'openai',
    ...(number % 4 === 0 ? { attributes: { project: `p${projectOf(number)}` } } : {}),
  };
}

/** The number in the id of a loaded decision. */
export function numberOf(id) {
  return Number.parseInt(id.slice(24), 16);
}

/** The policies of the organization. The simulation changes the first policy. */
export const POLICIES = [
  {
    name: 'Finance asks first',
    action: 'require_approval',
    model: 'o3*',
    conditions: { department: { in: ['Finance'] } },
  },
  { name: 'No opus in Germany', action: 'block', model: '*opus', conditions: { 'attributes.country': { eq: 'DE' } } },
  { name: 'Watch juniors', action: 'alert', conditions: { 'attributes.level': { lt: 2 }, role: { not_eq: 'admin' } } },
  { name: 'Admins may', action: 'allow', conditions: { role: { eq: 'admin' } } },
  ...Array.from({ length: 46 }, (_, at) => ({
    name: `Project ${at}`,
    action: at % 2 === 0 ? 'alert' : 'block',
    model: MODELS[at % MODELS.length],
    conditions: {
      'attributes.project': { eq: `p${at}` },
      department: { not_in: [DEPARTMENTS[at % DEPARTMENTS.length]] },
    },
  })),
];

/** The changed policy. It matches about a tenth of all requests. */
export const DRAFT = { action: 'block', model: '*o3*', conditions: { department: { not_in: ['Research'] } } };

const list = texts => `array[${texts.map(text => `'${text}'`).join(', ')}]`;

/** Loads decisions, the usage of every second one, and the rollups of that usage. */
export async function load(client, orgId, count, now) {
  const from = now - WEEK_MS + 60_000;
  const step = (WEEK_MS - 120_000) / count;
  await client.query(`set synchronous_commit = off`);
  await client.query(
    `create temporary table request as
     select n, person, ${from} + floor(n * ${step}::float8)::bigint as ms,
       (${list(MODELS)})[n / ${PEOPLE} % ${MODELS.length} + 1] as model,
       '00000000-0000-4000-8000-' || lpad(to_hex(person), 12, '0') as user_id,
       case when n % 4 = 0 then jsonb_build_object('project', 'p' || n / ${PEOPLE * MODELS.length} % ${PROJECTS}) else '{}' end as claimed
     from (select n, (n::bigint * 7919) % ${PEOPLE} as person from generate_series(0, ${count - 1}) n) numbered`,
  );
  await client.query(`alter table request add column id uuid`);
  await client.query(
    `update request set id = (substr(lpad(to_hex(ms), 12, '0'), 1, 8) || '-' || substr(lpad(to_hex(ms), 12, '0'), 9)
       || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`,
  );
  await client.query(
    `insert into governance.decisions (org_id, id, occurred_at, user_id, user_email, provider, model, action, allowed,
       reason, policies, attributes)
     select $1, id, to_timestamp(ms / 1000.0), user_id, 'user' || person || '@example.com', 'openai', model, 'allow', true,
       'no_policy_matched', '[]',
       case when person % 100 = 99 then jsonb_strip_nulls(jsonb_build_object('attributes', nullif(claimed, '{}')))
       else jsonb_build_object('name', 'User ' || person,
         'department', case when person % 20 = 0 then null else (${list(DEPARTMENTS)})[person % ${DEPARTMENTS.length} + 1] end,
         'role', case when person % 50 = 0 then 'admin' else 'member' end,
         'status', case when person % 100 = 98 then 'suspended' else 'active' end,
         'attributes', claimed || jsonb_build_object('level', person % 7,
           'country', case when person % 3 = 0 then 'DE' else 'FR' end)) end
     from request order by id`,
    [orgId],
  );
  await client.query(
    `insert into governance.usage_events (org_id, user_id, occurred_at, received_at, input_tokens, output_tokens,
       cache_read_tokens, cache_write_tokens, reasoning_tokens, requests, id, provider, model, cost_usd, decision_id)
     select $1, user_id::uuid, to_timestamp(ms / 1000.0), to_timestamp(ms / 1000.0), 1000, 100, 0, 0, 0, 1, 'e' || n,
       'openai', model, 0.0035, id from request where n % 2 = 0 order by id`,
    [orgId],
  );
  await client.query(
    `insert into governance.usage_daily (org_id, day, user_id, model, provider, requests, input_tokens, output_tokens,
       cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, unpriced_requests)
     select $1, (to_timestamp(ms / 1000.0) at time zone 'UTC')::date, user_id::uuid, model, 'openai', count(*),
       count(*) * 1000, count(*) * 100, 0, 0, 0, count(*) * 0.0035, 0
     from request where n % 2 = 0 group by 2, 3, 4`,
    [orgId],
  );
  await client.query('vacuum analyze governance.decisions');
  await client.query('vacuum analyze governance.usage_events');
  await client.query('vacuum analyze governance.usage_daily');
  await client.query('checkpoint');
}

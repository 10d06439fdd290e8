// An identity provider keeps 1,000 and 100,000 users up to date by SCIM: 1,000 changes as Entra ID makes them (find the
// user by name, then PATCH), pages of an import, and a group of a tenth of all users that gets its members and is renamed.
import pg from 'pg';
import { median, quantile, startApp, startDatabase } from '../support/server.mjs';

const SIZES = (process.env.BENCH_USERS ?? '1000,100000').split(',').map(Number);
const CHANGES = Number(process.env.BENCH_CHANGES ?? 1_000);
const PAGES = Number(process.env.BENCH_REQUESTS ?? 100);
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const database = await startDatabase(['max_connections=100']);
const admin = new pg.Pool({ connectionString: database.url, max: 1 });
for (const size of SIZES) {
  const { server, owner } = await site(size);
  console.log(`\nSCIM at ${size} users, milliseconds: p50, p99`);
  await sync(server, size);
  await pages(server, size);
  await groups(server, owner, size);
  await owner.end();
  await server.stop();
}
await admin.end();
await database.stop();

/** A database with that many users, half of whom an identity provider has spoken of, and the module on it. */
async function site(size) {
  const url = new URL(database.url);
  url.pathname = `/users_${size}`;
  await admin.query(`create database users_${size}`);
  const server = await startApp(url.href, { requestsPerMinute: 0 });
  const owner = new pg.Pool({ connectionString: url.href, max: 2 });
  await owner.query(
    `insert into governance.users (org_id, id, email, email_key, name, role, status, created_at, updated_at, change_version)
     select $1, md5('user' || n)::uuid, 'u' || n || '@people.example', 'u' || n || '@people.example', 'User ' || n,
            'member', 'active', now(), now(), 0 from generate_series(1, $2) n`,
    [server.orgId, size],
  );
  await owner.query(
    `insert into governance.scim_users (org_id, user_id, user_name, user_name_key, external_id, profile)
     select $1, md5('user' || n)::uuid, 'U' || n || '@people.example', 'u' || n || '@people.example', 'ext-' || n,
            jsonb_build_object('title', 'Title ' || n % 50, 'name', jsonb_build_object('familyName', 'Family ' || n))
     from generate_series(2, $2, 2) n`,
    [server.orgId, size],
  );
  await owner.query('vacuum analyze governance.users, governance.scim_users');
  // Whoever decides has everybody in memory, and takes every change in.
  await scim(server, 'GET', '/Users?count=1');
  return { server, owner };
}

async function sync(server, size) {
  const times = { find: [], change: [] };
  const begun = performance.now();
  for (let n = 0; n < CHANGES; n++) {
    const name = `u${1 + ((n * 7919) % size)}@people.example`;
    const found = await timed(times.find, () => scim(server, 'GET', `/Users?filter=${eq('userName', name)}`));
    const [user] = found.Resources;
    const operations = [
      { op: 'Replace', path: 'title', value: `Title after ${n}` },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: `Department ${n % 20}` },
      ...(n % 10 === 0 ? [{ op: 'Replace', path: 'active', value: 'False' }] : []),
    ];
    await timed(times.change, () =>
      scim(server, 'PATCH', `/Users/${user.id}`, { schemas: [PATCH], Operations: operations }),
    );
  }
  const seconds = (performance.now() - begun) / 1_000;
  report('find by userName', times.find);
  report('PATCH of a user', times.change);
  console.log(`  ${CHANGES} changes, one after the other: ${seconds.toFixed(1)} s`);
}

async function pages(server, size) {
  const requests = {
    'first page of 100': '/Users?count=100',
    'last page of 100': `/Users?count=100&startIndex=${size - 99}`,
    'externalId eq': `/Users?filter=${eq('externalId', `ext-${size}`)}`,
    'emails.value eq': `/Users?filter=${eq('emails.value', `u${size}@people.example`)}`,
    'title eq and active eq true': `/Users?count=100&filter=${eq('title', 'Title 7')}%20and%20active%20eq%20true`,
  };
  for (const [name, path] of Object.entries(requests)) {
    const times = [];
    for (let n = 0; n < PAGES; n++) await timed(times, () => scim(server, 'GET', path));
    report(name, times);
  }
}

async function groups(server, owner, size) {
  const { rows } = await owner.query('select id from governance.users where org_id = $1 order by id limit $2', [
    server.orgId,
    size / 10,
  ]);
  const members = rows.map(({ id }) => ({ value: id }));
  const times = { made: [], renamed: [], removed: [] };
  const body = { schemas: [GROUP], displayName: 'A tenth', members };
  const group = await timed(times.made, () => scim(server, 'POST', '/Groups?excludedAttributes=members', body));
  const rename = { op: 'replace', value: { id: group.id, displayName: 'A tenth of all' } };
  await timed(times.renamed, () =>
    scim(server, 'PATCH', `/Groups/${group.id}`, { schemas: [PATCH], Operations: [rename] }),
  );
  await timed(times.removed, () => scim(server, 'DELETE', `/Groups/${group.id}`));
  for (const [what, [time]] of Object.entries(times)) {
    console.log(`  group of ${members.length} ${what}`.padEnd(40) + `${time.toFixed(0).padStart(9)}`);
  }
}

function eq(attribute, value) {
  return encodeURIComponent(`${attribute} eq "${value}"`);
}

function report(name, times) {
  const numbers = [median(times), quantile(times, 0.99)].map(time => time.toFixed(1).padStart(9));
  console.log(`  ${name}`.padEnd(40) + numbers.join(''));
}

async function timed(times, work) {
  const begun = performance.now();
  const result = await work();
  times.push(performance.now() - begun);
  return result;
}

async function scim(server, method, path, body) {
  const response = await fetch(`${server.url}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/scim+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

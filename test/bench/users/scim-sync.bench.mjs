// An identity provider keeps 1,000 and 100,000 users up to date by SCIM. It makes 1,000 changes as Entra ID does (find
// the user by name, then PATCH) and reads pages of the list in between. It reads pages and finds users while nothing
// changes. A group of a tenth of all users gets its members and is renamed. Exits with 1 if the p99 of a page or a find
// at 100,000 is more than 1.5 times that at 1,000.
import { compare, compareTogether, headline, tell, withSites } from './sizes.mjs';

const CHANGES = Number(process.env.BENCH_CHANGES ?? 1_000);
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** Chooses another user each time, among those that the provider has provisioned. */
const someone = (size, n) => 2 * (1 + ((n * 7919) % (size / 2)));
const find =
  (attribute, valueOf) =>
  ({ server, size }, n) =>
    scim(server, 'GET', `/Users?filter=${eq(attribute, valueOf(someone(size, n)))}`);
const page =
  startOf =>
  ({ server, size }) =>
    scim(server, 'GET', `/Users?count=100&startIndex=${startOf(size)}`);
const PAGES = {
  'first page of 100': page(() => 1),
  'page in the middle': page(size => size / 2),
  'last page of 100': page(size => size - 99),
};

await withSites(addUsers, async sites => {
  // The deciding process has all users in memory and receives every change.
  for (const { server } of sites) await scim(server, 'GET', '/Users?count=1');
  headline(`SCIM, ${CHANGES} changes with pages in between,`);
  const times = await compareTogether(sites, syncKinds(), CHANGES);
  const changed = new Map([['PATCH of a user', times.get('PATCH of a user')]]);
  times.delete('PATCH of a user');
  tell(times);
  tell(changed, false);
  headline('SCIM, nothing changes,');
  await compare(sites, {
    ...PAGES,
    'find by userName': find('userName', n => `u${n}@people.example`),
    'find by externalId': find('externalId', n => `ext-${n}`),
    'find by e-mail address': find('emails.value', n => `u${n}@people.example`),
    'find by another address': find('emails.value', n => `other${n}@people.example`),
  });
  headline('SCIM, filters that no index knows, counted for each request (not judged),');
  const filtered = ({ server }, n) =>
    scim(server, 'GET', `/Users?count=100&filter=${encodeURIComponent(`title eq "Title 8" and externalId ne "${n}"`)}`);
  await compare(sites, { 'by title, first page': filtered }, { requests: 100, isBound: false });
  for (const site of sites) await groups(site);
});

/** Half of the users were provisioned by an identity provider. These users have two addresses. */
async function addUsers(owner, orgId, size) {
  await owner.query(
    `insert into governance.users (org_id, id, email, email_key, name, role, status, created_at, updated_at, change_version)
     select $1, md5('user' || n)::uuid, 'u' || n || '@people.example', 'u' || n || '@people.example', 'User ' || n,
            'member', 'active', now(), now(), 0 from generate_series(1, $2) n`,
    [orgId, size],
  );
  await owner.query(
    `insert into governance.scim_users (org_id, user_id, user_name, user_name_key, external_id, other_email_keys, profile)
     select $1, md5('user' || n)::uuid, 'U' || n || '@people.example', 'u' || n || '@people.example', 'ext-' || n,
            array['other' || n || '@people.example'],
            jsonb_build_object('title', 'Title ' || n % 50, 'name', jsonb_build_object('familyName', 'Family ' || n),
              'emails', jsonb_build_array(
                jsonb_build_object('value', 'u' || n || '@people.example', 'type', 'work', 'primary', true),
                jsonb_build_object('value', 'other' || n || '@people.example', 'type', 'home')))
     from generate_series(2, $2, 2) n`,
    [orgId, size],
  );
}

/** The kinds of requests: a change, a page of the list, and a find of a user. */
function syncKinds() {
  const found = new Map();
  const byName = find('userName', n => `u${n}@people.example`);
  return {
    async 'find by userName'(site, n) {
      found.set(site, (await byName(site, n)).Resources[0].id);
    },
    'PATCH of a user'(site, n) {
      const operations = [
        { op: 'Replace', path: 'title', value: `Title after ${n}` },
        { op: 'Add', path: `${ENTERPRISE}:department`, value: `Department ${n % 20}` },
        ...(n % 10 === 0 ? [{ op: 'Replace', path: 'active', value: 'False' }] : []),
      ];
      return scim(site.server, 'PATCH', `/Users/${found.get(site)}`, { schemas: [PATCH], Operations: operations });
    },
    ...PAGES,
  };
}

async function groups({ server, owner, size }) {
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
  console.log('');
  for (const [what, [time]] of Object.entries(times)) {
    console.log(`  group of ${members.length} ${what}`.padEnd(40) + `${time.toFixed(0).padStart(9)}`);
  }
}

function eq(attribute, value) {
  return encodeURIComponent(`${attribute} eq "${value}"`);
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

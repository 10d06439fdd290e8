import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import SCIMMY from 'scimmy';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { ENTERPRISE, identityProvider, newGroup, newUser, patch, SEARCH } from './scim.support.js';

let app: TestApp;
let scim: Call;
/** All users in the order in which lists return them. */
let users: Answer['body'][];

const emails = (...values: string[]) => values.map((value, at) => ({ value, type: at === 0 ? 'work' : 'home' }));

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
  const made = [
    await newUser(scim, 'ada', {
      emails: emails('ada@example.com', 'ada@home.example'),
      title: 'Engineer',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
    }),
    await newUser(scim, 'bob@example.com', {
      title: 'Sales engineer',
      externalId: 'Ext-B',
      [ENTERPRISE]: { department: 'Sales', costCenter: '4130' },
    }),
    await newUser(scim, 'cem@example.org', {
      displayName: 'Çem O\'Neil "C" \\',
      nickName: '100%_x',
      phoneNumbers: [{ value: '+1', type: 'mobile' }],
    }),
    await newUser(scim, 'dora@example.com', {
      externalId: 'ext-b',
      active: false,
      nickName: 'Cafe\u0301',
      emails: [{ value: 'dora@example.com', primary: true, type: 'home' }],
    }),
  ];
  await app.call('POST', '/v1/users', { email: 'Eve@Example.com', name: 'Eve', department: 'Imported' });
  await newGroup(scim, 'Platform', [made[0].id, made[1].id]);
  await newGroup(scim, 'Empty');
  app.clock.advance(60_000);
  await scim('PATCH', `/Users/${made[1].id}`, patch({ op: 'add', path: 'nickName', value: 'Bobby' }));
  // No filter may find this removed user, so it is not in `users`.
  const gone = await newUser(scim, 'gone@example.com', { title: 'Engineer' });
  await scim('DELETE', `/Users/${gone.id}`);
  users = (await scim('GET', '/Users')).body.Resources;
});

afterAll(() => app?.close());

const nameOf = ({ userName }: Answer['body']): string => userName.toLowerCase().split('@')[0];
async function found(filter: string): Promise<string> {
  const { body, text, status } = await scim('POST', '/Users/.search', { schemas: [SEARCH], filter });
  if (status !== 200) throw new Error(`${filter}: ${text}`);
  expect(body.totalResults).toBe(body.Resources.length);
  return body.Resources.map(nameOf).toSorted().join(' ');
}

describe('a filter finds', () => {
  it.each([
    ['userName eq "ADA"', 'ada'],
    ['USERNAME Eq "ada"', 'ada'],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"', 'ada'],
    ['userName eq "eve@example.com"', 'eve'],
    ['userName ne "ada"', 'bob cem dora eve'],
    ['userName co "EXAMPLE.C"', 'bob dora eve'],
    ['userName sw "b"', 'bob'],
    ['userName ew ".org"', 'cem'],
    ['userName gt "cem@example.org"', 'dora eve'],
    ['userName ge "cem@example.org"', 'cem dora eve'],
    ['userName lt "bob@example.com"', 'ada'],
    ['userName le "bob@example.com"', 'ada bob'],
    ['userName pr', 'ada bob cem dora eve'],
    ['externalId eq "ext-b"', 'dora'],
    ['externalId eq "Ext-B"', 'bob'],
    ['externalId pr', 'bob dora'],
    ['externalId eq null', 'ada cem eve'],
    ['not (externalId eq "ext-b")', 'ada bob cem eve'],
    ['active eq true', 'ada bob cem eve'],
    ['active eq "False"', 'dora'],
    ['active ne true', 'dora'],
    ['title eq "engineer"', 'ada'],
    ['title co "ENGINEER"', 'ada bob'],
    ['title ne "Engineer"', 'bob cem dora eve'],
    ['not (title co "engineer")', 'cem dora eve'],
    ['not (title pr)', 'cem dora eve'],
    ['title eq null', 'cem dora eve'],
    ['title ne null', 'ada bob'],
    ['name.familyName eq "lovelace"', 'ada'],
    ['name pr', 'ada'],
    ['displayName sw "ada l"', 'ada'],
    ['displayName eq "Eve"', 'eve'],
    [`displayName eq "Çem O'Neil \\"C\\" \\\\"`, 'cem'],
    ['displayName eq "\\u00c7em O\'Neil \\"C\\" \\\\"', 'cem'],
    // The cedilla as a combining character: another encoding of the same letter.
    [`displayName eq "C\u0327em O'Neil \\"C\\" \\\\"`, 'cem'],
    ['displayName sw "C\u0327em"', 'cem'],
    ['nickName eq "Caf\u00e9"', 'dora'],
    ['nickName ew "\u00e9"', 'dora'],
    ['nickName co "%_"', 'cem'],
    ['nickName co "0%x"', ''],
    ['nickName sw "_"', ''],
    [`title eq "x' or '1'='1"`, ''],
    ['emails eq "ADA@home.example"', 'ada'],
    ['emails.value eq "ada@example.com"', 'ada'],
    ['emails.value co "home"', 'ada'],
    ['emails pr', 'ada bob cem dora eve'],
    ['emails[type eq "home"]', 'ada dora'],
    ['emails[type eq "home" and value ew ".example"]', 'ada'],
    ['emails[type eq "work" and value ew ".example"]', ''],
    ['emails[not (type eq "work")]', 'ada dora'],
    ['emails[primary eq true]', 'bob cem dora eve'],
    ['emails[type eq "work"].value eq "eve@example.com"', 'eve'],
    ['phoneNumbers pr', 'cem'],
    ['not (phoneNumbers pr)', 'ada bob dora eve'],
    ['phoneNumbers.value ne "+2"', 'ada bob cem dora eve'],
    ['phoneNumbers.value eq null', 'ada bob dora eve'],
    [`${ENTERPRISE}:department eq "sales"`, 'bob'],
    [`${ENTERPRISE}:costCenter eq "4130"`, 'bob'],
    [`${ENTERPRISE}:department pr`, 'bob'],
    ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"', 'ada bob cem dora eve'],
    [`schemas eq "${ENTERPRISE}"`, 'bob'],
    [`schemas ne "${ENTERPRISE.toUpperCase()}"`, 'ada bob cem dora eve'],
    [`not (schemas eq "${ENTERPRISE}")`, 'ada cem dora eve'],
    ['schemas co "enterprise"', 'bob'],
    ['schemas pr', 'ada bob cem dora eve'],
    // An attribute that is not stored has no value for any user.
    ['ims pr', ''],
    ['password pr', ''],
    ['password eq null', 'ada bob cem dora eve'],
    ['photos.value ne "x"', 'ada bob cem dora eve'],
    ['photos.value gt "x"', ''],
    ['not (roles[primary eq true])', 'ada bob cem dora eve'],
    ['title pr and not (entitlements.value eq "x")', 'ada bob'],
    ['userName eq "ada" or ims[type eq "xmpp" and value co "@foo.com"]', 'ada'],
    ['meta.lastModified gt "2026-11-20T12:00:30"', 'bob'],
    ['groups pr', 'ada bob'],
    ['groups.display eq "platform"', 'ada bob'],
    ['groups[display eq "empty"]', ''],
    ['meta.lastModified gt "2026-11-20T12:00:30Z"', 'bob'],
    ['meta.created le "2026-11-20T13:00:00+01:00"', 'ada bob cem dora eve'],
    ['meta.resourceType eq "User"', 'ada bob cem dora eve'],
    ['title pr and active eq true or nickName pr', 'ada bob cem dora'],
    ['title pr and (active eq false or nickName pr)', 'bob'],
    ['not (title pr) and not (active eq false)', 'cem eve'],
    ['not (title pr and active eq true)', 'cem dora eve'],
    ['not (not (title pr))', 'ada bob'],
  ])('%s: %s', async (filter, names) => {
    expect(await found(filter)).toBe(names);
  });

  it('exactly one user by an id, and none by an invalid id', async () => {
    const [first] = users;
    expect(await found(`id eq "${first.id.toUpperCase()}"`)).toBe(nameOf(first));
    expect(await found('id eq "1"')).toBe('');
    expect(await found(`id ne "${first.id}"`)).not.toContain(nameOf(first));
    expect(await found(`meta.version eq "W/\\"${first.meta.version.slice(3, -1)}\\""`)).toBe(nameOf(first));
  });

  it('groups by name, member and id', async () => {
    const { body } = await scim('GET', '/Groups');
    const platform = body.Resources.find((group: { displayName: string }) => group.displayName === 'Platform');
    const [member] = platform.members;
    for (const filter of [
      'displayName eq "PLATFORM"',
      `members eq "${member.value}"`,
      `members[value eq "${member.value}"]`,
      `members.display co "ada"`,
      `id eq "${platform.id}" and members[value eq "${member.value}"]`,
      'members pr and schemas eq "urn:ietf:params:scim:schemas:core:2.0:Group"',
      'members pr',
    ]) {
      const { body: page } = await scim('GET', `/Groups?filter=${encodeURIComponent(filter)}`);
      expect({ filter, names: page.Resources.map((group: { displayName: string }) => group.displayName) }).toEqual({
        filter,
        names: ['Platform'],
      });
    }
  });
});

// An independent implementation evaluates the same filters in memory, over the users that this server returns.
describe('another implementation', () => {
  it.each([
    ...[
      'userName eq "ada"',
      'userName co "example.org"',
      'title pr',
      'title sw "Eng" or nickName pr',
      'externalId eq "Ext-B"',
    ],
    ...['emails[type eq "home" and value ew "example"]', 'emails.value co "home"'],
    ...['active eq true and title pr', 'not (title pr)', 'title pr and (externalId pr or nickName pr)'],
    ...['meta.lastModified gt "2026-11-20T12:00:30Z"', 'not (externalId eq "ext-b")'],
  ])('finds the same users by %s', async filter => {
    const theirs = new SCIMMY.Types.Filter(filter).match(users).map(nameOf).toSorted().join(' ');
    expect(await found(filter)).toBe(theirs);
  });

  it('reads lists, users and errors', async () => {
    const list = new SCIMMY.Messages.ListResponse((await scim('GET', '/Users?count=2')).body);
    expect(list).toMatchObject({ totalResults: 5, itemsPerPage: 2, startIndex: 1 });
    for (const user of users) {
      const { schemas, meta, id, ...said } = user;
      const read = new SCIMMY.Schemas.User({ ...said }, 'in');
      expect(read).toMatchObject({ userName: user.userName });
      expect([schemas.length, meta.resourceType, id.length]).toEqual([expect.any(Number), 'User', 36]);
    }
    const refused = (await scim('GET', '/Users?filter=x')).body;
    expect(() => new SCIMMY.Messages.ErrorResponse(refused)).toThrow(refused.detail);
  });

  it('publishes the same kinds of attributes', async () => {
    const { body } = await scim('GET', '/Schemas');
    const ours = new Map<string, Answer['body']>(
      body.Resources.map((schema: Answer['body']) => [
        schema.id,
        new Map(schema.attributes.map((each: Answer['body']) => [each.name, each])),
      ]),
    );
    for (const schema of [SCIMMY.Schemas.User, SCIMMY.Schemas.EnterpriseUser, SCIMMY.Schemas.Group]) {
      const { id, attributes } = JSON.parse(JSON.stringify(schema.definition.describe()));
      for (const theirs of attributes) {
        const mine = ours.get(id)?.get(theirs.name);
        if (!mine) continue;
        const { type, multiValued = false } = theirs;
        expect({ name: theirs.name, type: mine.type, multiValued: mine.multiValued }).toEqual({
          name: theirs.name,
          type,
          multiValued,
        });
      }
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import {
  ENTERPRISE,
  expectOk,
  GROUP,
  identityProvider,
  LIST,
  newGroup,
  newUser,
  SEARCH,
  USER,
} from './scim.support.js';

// The examples of RFC 7644, sections 3.3, 3.4 and 3.9, with its values. This server generates its own ids. A user needs
// an email address here, so `emails` is added where the RFC has none.

let app: TestApp;
let scim: Call;
let jensen: Answer['body'];

const EMAILS = [{ value: 'bjensen@example.com', type: 'work' }];
const NAME = { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' };
const BJENSEN = { schemas: [USER], userName: 'bjensen', externalId: 'bjensen', name: NAME };

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
});

afterAll(() => app?.close());

describe('RFC 7644, section 3.3', () => {
  it('a user without an email address is refused, because decisions find users by it', async () => {
    const { status, body } = await scim('POST', '/Users', BJENSEN);
    expect([status, body.scimType]).toEqual([400, 'invalidValue']);
  });

  it('a user is created with 201, Location, ETag and the sent attributes', async () => {
    const { status, headers, body } = await scim('POST', '/Users', { ...BJENSEN, emails: EMAILS });
    jensen = body;
    expect(status).toBe(201);
    expect(headers.get('content-type')).toMatch('application/scim+json');
    expect(headers.get('location')).toBe(`${app.url}/scim/v2/Users/${body.id}`);
    expect(headers.get('etag')).toMatch(/^W\/"/);
    expect(body).toMatchObject({ ...BJENSEN, meta: { resourceType: 'User', location: headers.get('location') } });
  });

  it('creating the same user again is a conflict', async () => {
    const { status, body } = await scim('POST', '/Users', { ...BJENSEN, emails: EMAILS });
    expect([status, body.scimType]).toEqual([409, 'uniqueness']);
  });
});

describe('RFC 7644, section 3.4.1', () => {
  it('a known user is returned with all attributes', async () => {
    const phoneNumbers = [{ value: '555-555-8377', type: 'work' }];
    await expectOk(scim('PUT', `/Users/${jensen.id}`, { ...BJENSEN, phoneNumbers, emails: EMAILS }));
    const { status, headers, body } = await scim('GET', `/Users/${jensen.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...BJENSEN, id: jensen.id, phoneNumbers, emails: EMAILS });
    expect(headers.get('etag')).toBe(body.meta.version);
  });
});

describe('RFC 7644, section 3.4.2', () => {
  it('GET /Users?attributes=userName lists the names of all users, also in a page', async () => {
    app.clock.advance(1);
    const jsmith = await newUser(scim, 'jsmith', { emails: [{ value: 'jsmith@example.com' }] });
    const { body } = await scim('GET', '/Users?attributes=userName');
    expect(body).toEqual({
      schemas: [LIST],
      totalResults: 2,
      startIndex: 1,
      itemsPerPage: 2,
      // `schemas` is always returned (RFC 7643, section 3), although the example leaves it out.
      Resources: [
        { schemas: [USER], id: jensen.id, userName: 'bjensen' },
        { schemas: [USER], id: jsmith.id, userName: 'jsmith' },
      ],
    });
  });

  it('GET /Users?startIndex=1&count=10 returns the index of the page (3.4.2.4)', async () => {
    const { body } = await scim('GET', '/Users?startIndex=1&count=10');
    expect(body).toMatchObject({ totalResults: 2, itemsPerPage: 2, startIndex: 1 });
  });
});

describe('RFC 7644, section 3.4.2.2', () => {
  const people: [string, object][] = [
    ['john', { title: 'Guide', userType: 'Employee', emails: [{ type: 'work', value: 'john@example.com' }] }],
    ['Jo', { title: 'Clerk', userType: 'Intern', emails: [{ type: 'home', value: 'jo@example.net' }] }],
    ['omalley', { name: { familyName: "O'Malley" }, userType: 'Employee', emails: [{ value: 'o@example.org' }] }],
    ['tess', { userType: 'Contractor', emails: [{ value: 'tess@foo.com' }], [ENTERPRISE]: { costCenter: '4130' } }],
  ];

  beforeAll(async () => {
    for (const id of [jensen.id, (await find('userName eq "jsmith"'))[0].id]) await scim('DELETE', `/Users/${id}`);
    for (const [userName, more] of people) await newUser(scim, userName, more);
  });

  const find = async (filter: string): Promise<Answer['body']> =>
    (await expectOk(scim('GET', `/Users?filter=${encodeURIComponent(filter)}`))).body.Resources;

  it.each([
    ['userName Eq "john"', 'john'],
    ['Username eq "john"', 'john'],
    ['userName eq "bjensen"', ''],
    [`name.familyName co "O'Malley"`, 'omalley'],
    ['userName sw "J"', 'Jo john'],
    [`${USER}:userName sw "J"`, 'Jo john'],
    ['title pr', 'Jo john'],
    ['meta.lastModified gt "2011-05-13T04:42:34Z"', 'Jo john omalley tess'],
    ['meta.lastModified ge "2011-05-13T04:42:34Z"', 'Jo john omalley tess'],
    ['meta.lastModified lt "2011-05-13T04:42:34Z"', ''],
    ['meta.lastModified le "2011-05-13T04:42:34Z"', ''],
    ['title pr and userType eq "Employee"', 'john'],
    ['title pr or userType eq "Intern"', 'Jo john'],
    [`schemas eq "${ENTERPRISE}"`, 'tess'],
    ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")', 'john omalley'],
    ['userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")', 'Jo tess'],
    ['userType eq "Employee" and (emails.type eq "work")', 'john'],
    ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', 'john'],
    // Addresses for instant messages are not stored, so this filter finds no user.
    ['emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]', 'john'],
  ])('%s finds: %s', async (filter, names) => {
    const users: { userName: string }[] = await find(filter);
    expect(
      users
        .map(({ userName }) => userName)
        .toSorted()
        .join(' '),
    ).toBe(names);
  });
});

describe('RFC 7644, section 3.4.3', () => {
  it('POST /.search finds users and groups whose name begins with Smith', async () => {
    const james = await newUser(scim, 'jsmith2', {
      displayName: 'Smith, James',
      emails: [{ value: 'smith@example.com' }],
    });
    const family = await newGroup(scim, 'Smith Family');
    const { status, body } = await scim('POST', '/.search', {
      schemas: [SEARCH],
      attributes: ['displayName', 'userName'],
      filter: 'displayName sw "smith"',
      startIndex: 1,
      count: 10,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      schemas: [LIST],
      totalResults: 2,
      itemsPerPage: 2,
      startIndex: 1,
      // The RFC's example also shows `meta`, which was not requested.
      Resources: [
        { schemas: [USER], id: james.id, userName: 'jsmith2', displayName: 'Smith, James' },
        { schemas: [GROUP], id: family.id, displayName: 'Smith Family' },
      ],
    });
  });
});

describe('RFC 7644, sections 3.9 and 3.10', () => {
  it.each(['userName', `${USER}:userName`])('GET /Users/{id}?attributes=%s returns only the name', async name => {
    const { id } = (await scim('GET', '/Users?filter=userName%20eq%20%22john%22')).body.Resources[0];
    const { body } = await scim('GET', `/Users/${id}?attributes=${name}`);
    expect(body).toEqual({ schemas: [USER], id, userName: 'john' });
  });
});

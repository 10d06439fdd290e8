import { afterAll, beforeEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { ERROR, expectOk, identityProvider, newGroup, newUser, patch, USER } from './scim.support.js';

// The examples of RFC 7644, sections 3.5 and 3.6, with its values. This server generates its own ids.

let app: TestApp;
let scim: Call;
let babs: Answer['body'];
let james: Answer['body'];
let group: Answer['body'];
let count = 0;

const ADDRESS = {
  type: 'work',
  streetAddress: '911 Universal City Plaza',
  locality: 'Hollywood',
  region: 'CA',
  postalCode: '91608',
  country: 'US',
  formatted: '911 Universal City Plaza\nHollywood, CA 91608 US',
  primary: true,
};

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
});

beforeEach(async () => {
  const n = ++count;
  const work = { value: `bjensen${n}@example.com`, type: 'work', primary: true };
  babs = await newUser(scim, `bjensen${n}`, { displayName: 'Babs Jensen', emails: [work] });
  app.clock.advance(1);
  james = await newUser(scim, `jsmith${n}@example.com`, { displayName: 'James Smith' });
  group = await newGroup(scim, `Tour Guides ${n}`);
});

afterAll(() => app?.close());

/** A member as in the RFC's example. `$ref` names another server, but only the id counts. */
const member = ({ id, displayName }: Answer['body']) => ({
  display: displayName,
  $ref: `https://example.com/v2/Users/${id}`,
  value: id,
});
const changed = async (...operations: object[]): Promise<Answer['body']> =>
  (await expectOk(scim('PATCH', `/Users/${babs.id}`, patch(...operations)))).body;
/**
 * Sends a PATCH and returns the members afterwards. The PATCH is answered with 204, which the RFC allows, because
 * groups may be large.
 */
async function members(...operations: object[]): Promise<string[]> {
  const { status, text } = await scim('PATCH', `/Groups/${group.id}`, patch(...operations));
  expect([status, text]).toEqual([204, '']);
  const { body } = await scim('GET', `/Groups/${group.id}`);
  return (body.members ?? []).map(({ display }: { display: string }) => display);
}

describe('RFC 7644, section 3.5.1', () => {
  it('PUT replaces the user', async () => {
    const said = {
      schemas: [USER],
      userName: babs.userName,
      externalId: 'bjensen',
      name: {
        formatted: 'Ms. Barbara J Jensen III',
        familyName: 'Jensen',
        givenName: 'Barbara',
        middleName: 'Jane',
      },
      emails: [{ value: 'bjensen@example.com' }, { value: 'babs@jensen.org' }],
    };
    const { status, headers, body } = await scim('PUT', `/Users/${babs.id}`, { ...said, id: babs.id, roles: [] });
    expect(status).toBe(200);
    expect(headers.get('etag')).toBe(body.meta.version);
    expect(body.meta.version).not.toBe(babs.meta.version);
    expect(body).toMatchObject({ ...said, id: babs.id });
    expect(body.roles).toBeUndefined();
  });
});

describe('RFC 7644, section 3.5.2.1', () => {
  it('add adds a member to a group', async () => {
    expect(await members({ op: 'add', path: 'members', value: [member(babs)] })).toEqual(['Babs Jensen']);
  });

  it('add without a path adds an address and a nickname', async () => {
    const home = { value: 'babs@jensen.org', type: 'home' };
    // The RFC writes `nickname`: names of attributes are case-insensitive.
    expect(await changed({ op: 'add', value: { emails: [home], nickname: 'Babs' } })).toMatchObject({
      emails: [...babs.emails, home],
      nickName: 'Babs',
    });
  });
});

describe('RFC 7644, section 3.5.2.2', () => {
  beforeEach(() => members({ op: 'add', path: 'members', value: [member(babs), member(james)] }));

  it('remove removes one member of a group', async () => {
    expect(await members({ op: 'remove', path: `members[value eq "${babs.id}"]` })).toEqual(['James Smith']);
  });

  it('remove removes all members of a group', async () => {
    expect(await members({ op: 'remove', path: 'members' })).toEqual([]);
  });

  it('remove removes the address of a user that a filter selects', async () => {
    await changed({ op: 'add', path: 'emails', value: [{ value: 'babs@jensen.org', type: 'home' }] });
    const { emails } = await changed({
      op: 'remove',
      path: 'emails[type eq "work" and value ew "example.com"]',
    });
    expect(emails).toEqual([{ value: 'babs@jensen.org', type: 'home' }]);
  });

  it('remove and add in one request replace one member by another', async () => {
    await members({ op: 'remove', path: `members[value eq "${james.id}"]` });
    expect(
      await members(
        { op: 'remove', path: `members[value eq "${babs.id}"]` },
        { op: 'add', path: 'members', value: [member(james)] },
      ),
    ).toEqual(['James Smith']);
  });

  it('remove and add in one request replace all members by a new list', async () => {
    expect(
      await members({ op: 'remove', path: 'members' }, { op: 'add', path: 'members', value: [member(babs)] }),
    ).toEqual(['Babs Jensen']);
  });
});

describe('RFC 7644, section 3.5.2.3', () => {
  it('replace replaces all members by a new list', async () => {
    expect(await members({ op: 'replace', path: 'members', value: [member(babs), member(james)] })).toEqual([
      'Babs Jensen',
      'James Smith',
    ]);
  });

  it('replace replaces the work address', async () => {
    await changed({ op: 'add', path: 'addresses', value: [{ type: 'work', locality: 'Elsewhere' }] });
    const { addresses } = await changed({ op: 'replace', path: 'addresses[type eq "work"]', value: ADDRESS });
    expect(addresses).toEqual([ADDRESS]);
  });

  it('replace changes the street of the work address', async () => {
    await changed({ op: 'add', path: 'addresses', value: [ADDRESS] });
    const { addresses } = await changed({
      op: 'replace',
      path: 'addresses[type eq "work"].streetAddress',
      value: '1010 Broadway Ave',
    });
    expect(addresses).toEqual([{ ...ADDRESS, streetAddress: '1010 Broadway Ave' }]);
  });

  it('replace creates the value if the filter selects none, because Entra ID relies on it: the RFC has noTarget', async () => {
    const { addresses } = await changed({
      op: 'replace',
      path: 'addresses[type eq "work"].streetAddress',
      value: '1010 Broadway Ave',
    });
    expect(addresses).toEqual([{ type: 'work', streetAddress: '1010 Broadway Ave' }]);
  });

  it('replace without a path replaces addresses and nickname', async () => {
    const emails = [
      { value: `bjensen-${count}@example.com`, type: 'work', primary: true },
      { value: 'babs@jensen.org', type: 'home' },
    ];
    expect(await changed({ op: 'replace', value: { emails, nickname: 'Babs' } })).toMatchObject({
      emails,
      nickName: 'Babs',
    });
  });
});

describe('RFC 7644, section 3.6', () => {
  it('DELETE is answered with 204, and the user is not found afterwards', async () => {
    const deleted = await scim('DELETE', `/Users/${babs.id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    const { status, body } = await scim('GET', `/Users/${babs.id}`);
    // The RFC repeats the id in its error message, whose text is free.
    expect([status, body]).toEqual([404, { schemas: [ERROR], detail: expect.any(String), status: '404' }]);
  });
});

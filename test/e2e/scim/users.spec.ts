import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../../support/test-app.js';
import { ENTERPRISE, ERROR, expectOk, identityProvider, LIST, newUser, patch, USER } from './scim.support.js';

let app: TestApp;
let scim: Call;

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
});

afterAll(() => app?.close());

const BJENSEN = {
  schemas: [USER],
  userName: 'bjensen@example.com',
  externalId: 'bjensen',
  name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
};

/** The user in the API of this service. */
const seen = async (id: string) => (await app.call('GET', `/v1/users/${id}`)).body;

// Our own bodies in the format of RFC 7644. The titles name the sections.
describe('a user at the identity provider', () => {
  it('is created with 201, its address and its version (3.3)', async () => {
    const { status, headers, body } = await scim('POST', '/Users', BJENSEN);
    expect(status).toBe(201);
    expect(headers.get('content-type')).toMatch(/^application\/scim\+json/);
    expect(body).toEqual({
      ...BJENSEN,
      id: expect.any(String),
      displayName: 'Ms. Barbara J Jensen III',
      active: true,
      emails: [{ value: 'bjensen@example.com', type: 'work', primary: true }],
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location: `${app.url}/scim/v2/Users/${body.id}`,
        version: expect.stringMatching(/^W\/"\d+"$/),
      },
    });
    expect(headers.get('location')).toBe(body.meta.location);
    expect(headers.get('etag')).toBe(body.meta.version);
    expect(await seen(body.id)).toMatchObject({ email: 'bjensen@example.com', name: 'Ms. Barbara J Jensen III' });
  });

  it('is returned as it was created (3.4.1)', async () => {
    const made = await newUser(scim, 'read@example.com', { title: 'Tour Guide', [ENTERPRISE]: { costCenter: '4130' } });
    const { status, headers, body } = await scim('GET', `/Users/${made.id}`);
    expect([status, body]).toEqual([200, made]);
    expect(headers.get('etag')).toBe(made.meta.version);
    expect(body).toMatchObject({
      schemas: [USER, ENTERPRISE],
      title: 'Tour Guide',
      [ENTERPRISE]: { costCenter: '4130' },
    });
  });

  it('is found by a filter, with the requested attributes (3.4.2)', async () => {
    const made = await newUser(scim, 'find@example.com', { title: 'Vice President', userType: 'Employee' });
    const query = 'filter=title%20pr%20and%20userType%20eq%20%22employee%22&attributes=userName,meta.version';
    const { status, body } = await scim('GET', `/Users?${query}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      schemas: [LIST],
      totalResults: 1,
      startIndex: 1,
      itemsPerPage: 1,
      Resources: [{ schemas: [USER], id: made.id, userName: 'find@example.com', meta: { version: made.meta.version } }],
    });
  });

  it('is searched for by POST, so that the search is in no URL (3.4.3)', async () => {
    const made = await newUser(scim, 'search@example.com', { displayName: 'Search Smith' });
    const { status, body } = await scim('POST', '/Users/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      attributes: ['displayName', 'userName'],
      filter: 'displayName sw "search sm"',
      startIndex: 1,
      count: 10,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      totalResults: 1,
      Resources: [{ schemas: [USER], id: made.id, displayName: 'Search Smith', userName: 'search@example.com' }],
    });
    expect(body.Resources[0].emails).toBeUndefined();
  });

  it('is replaced as a whole: missing attributes are removed (3.5.1)', async () => {
    const made = await newUser(scim, 'put@example.com', { title: 'Tour Guide', nickName: 'Babs' });
    const { status, body } = await scim('PUT', `/Users/${made.id}`, {
      schemas: [USER],
      id: made.id,
      userName: 'put@example.com',
      nickName: 'Barbie',
      roles: [],
      emails: [{ value: 'put@example.com' }, { value: 'babs@jensen.org' }],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      nickName: 'Barbie',
      emails: [{ value: 'put@example.com' }, { value: 'babs@jensen.org' }],
    });
    expect(body.title).toBeUndefined();
    expect(body.roles).toBeUndefined();
    expect(body.meta.version).not.toBe(made.meta.version);
  });

  it('is changed in parts (3.5.2)', async () => {
    const made = await newUser(scim, 'patch@example.com', {
      emails: [{ value: 'patch@example.com', type: 'work', primary: true }],
      addresses: [{ type: 'work', streetAddress: '1 Old Street', locality: 'Hollywood' }],
    });
    const send = async (...operations: unknown[]) =>
      (await expectOk(scim('PATCH', `/Users/${made.id}`, patch(...operations)))).body;
    const added = await send({
      op: 'add',
      value: { emails: [{ value: 'babs@jensen.org', type: 'home' }], nickName: 'Babs' },
    });
    expect(added).toMatchObject({
      nickName: 'Babs',
      emails: [{ type: 'work' }, { value: 'babs@jensen.org', type: 'home' }],
    });
    const moved = await send({
      op: 'replace',
      path: 'addresses[type eq "work"]',
      value: { type: 'work', streetAddress: '911 Universal City Plaza', country: 'US' },
    });
    expect(moved.addresses).toEqual([{ type: 'work', streetAddress: '911 Universal City Plaza', country: 'US' }]);
    const renamed = await send({
      op: 'replace',
      path: 'addresses[type eq "work"].streetAddress',
      value: '1010 Broadway Ave',
    });
    expect(renamed.addresses).toEqual([{ type: 'work', streetAddress: '1010 Broadway Ave', country: 'US' }]);
    const left = await send({ op: 'remove', path: 'emails[type eq "home" and value ew "jensen.org"]' });
    expect(left.emails).toEqual([{ value: 'patch@example.com', type: 'work', primary: true }]);
  });

  it('is removed with 204, and does not exist afterwards (3.6)', async () => {
    const made = await newUser(scim, 'gone@example.com');
    const { status, text } = await scim('DELETE', `/Users/${made.id}`);
    expect([status, text]).toEqual([204, '']);
    for (const [method, body] of [
      ['GET'],
      ['PUT', { schemas: [USER], userName: 'gone@example.com' }],
      ['DELETE'],
    ] as const) {
      const again = await scim(method, `/Users/${made.id}`, body);
      expect([method, again.status, again.body]).toEqual([
        method,
        404,
        { schemas: [ERROR], status: '404', detail: 'There is no user with this id in your organization.' },
      ]);
    }
    const { body } = await scim('GET', '/Users?filter=userName%20eq%20%22gone@example.com%22');
    expect(body).toMatchObject({ totalResults: 0, Resources: [] });
    // The API of this service still has the user, who is suspended.
    expect(await seen(made.id)).toMatchObject({ status: 'suspended', suspension_causes: ['scim'] });
  });

  it('is the same user again when it is created again', async () => {
    const made = await newUser(scim, 'back@example.com');
    await scim('DELETE', `/Users/${made.id}`);
    const again = await scim('POST', '/Users', { schemas: [USER], userName: 'BACK@example.com', title: 'Returner' });
    expect(again).toMatchObject({ status: 201, body: { id: made.id, active: true, title: 'Returner' } });
    expect(await seen(made.id)).toMatchObject({ status: 'active', suspension_causes: [] });
  });
});

describe('the identity provider', () => {
  it('gets 409 uniqueness for a name that another user has, ignoring case', async () => {
    await newUser(scim, 'taken', { emails: [{ value: 'taken@example.com' }] });
    await app.call('POST', '/v1/users', { email: 'imported@example.com', name: 'Imported' });
    for (const body of [
      { userName: 'TAKEN', emails: [{ value: 'other@example.com' }] },
      { userName: 'Imported@Example.com' },
      { userName: 'fresh', emails: [{ value: 'taken@example.com' }] },
    ]) {
      const { status, body: error } = await scim('POST', '/Users', { schemas: [USER], ...body });
      expect([status, error]).toEqual([
        409,
        expect.objectContaining({ schemas: [ERROR], status: '409', scimType: 'uniqueness' }),
      ]);
    }
  });

  it('finds users who were created in another way, so that it can link them', async () => {
    const { body } = await app.call('POST', '/v1/users', { email: 'Linked@example.com', name: 'Linked' });
    const found = (await scim('GET', '/Users?filter=userName%20eq%20%22linked@example.com%22')).body;
    expect(found).toMatchObject({
      totalResults: 1,
      Resources: [{ id: body.id, userName: 'Linked@example.com', displayName: 'Linked', active: true }],
    });
    const linked = await scim('PATCH', `/Users/${body.id}`, patch({ op: 'add', path: 'externalId', value: 'ext-1' }));
    expect(linked.body).toMatchObject({ id: body.id, externalId: 'ext-1', displayName: 'Linked' });
    expect((await scim('GET', '/Users?filter=externalId%20eq%20%22ext-1%22')).body.totalResults).toBe(1);
  });
});

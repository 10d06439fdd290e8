import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { ERROR, GROUP, identityProvider, LIST, newUser, patch, USER } from './scim.support.js';

// The examples of RFC 7644, sections 3.7 to 3.14 and 4, with its values. This server generates its own ids and
// versions.

let app: TestApp;
let scim: Call;
let user: Answer['body'];

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
  user = await newUser(scim, 'bjensen@example.com');
});

afterAll(() => app?.close());

const ID = '2819c223-7f76-453a-919d-413861904646';
/** Ids of users in a bulk request, shortened as in the RFC. */
const IDS = ['b7c14771', '5d8d29d3', 'e9025315'];
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

describe('RFC 7644, section 3.7', () => {
  it.each([
    [
      'a user, then a group with the user (3.7.2)',
      [
        { method: 'POST', path: '/Users', bulkId: 'qwerty', data: { schemas: [USER], userName: 'Alice' } },
        {
          method: 'POST',
          path: '/Groups',
          bulkId: 'ytrewq',
          data: {
            schemas: [GROUP],
            displayName: 'Tour Guides',
            members: [{ type: 'User', value: 'bulkId:qwerty' }],
          },
        },
      ],
    ],
    [
      'an operation of each method (3.7.3)',
      [
        { method: 'POST', path: '/Users', bulkId: 'qwerty', data: { schemas: [USER], userName: 'Alice' } },
        { method: 'PUT', path: `/Users/${IDS[0]}`, version: 'W/"4weymrEsh5O6cAEK"', data: { userName: 'Bob' } },
        { method: 'PATCH', path: `/Users/${IDS[1]}`, version: 'W/"edac3253e2c0ef2"', data: [] },
        { method: 'DELETE', path: `/Users/${IDS[2]}`, version: 'W/"0ee8add0a938e1a"' },
      ],
    ],
  ])('bulk is not supported, as ServiceProviderConfig says: %s is 501', async (_words, Operations) => {
    const { status, body } = await scim('POST', '/Bulk', { schemas: [BULK], failOnErrors: 1, Operations });
    expect([status, body]).toEqual([501, { schemas: [ERROR], status: '501', detail: expect.any(String) }]);
  });
});

describe('RFC 7644, section 3.11', () => {
  it('/Me is not supported and is 501, because the credential belongs to no user', async () => {
    expect((await scim('GET', '/Me')).status).toBe(501);
  });
});

describe('RFC 7644, section 3.12', () => {
  it('an unknown resource is 404, with the status as a text', async () => {
    const { status, headers, body } = await scim('GET', `/Users/${ID}`);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toMatch('application/scim+json');
    expect(body).toEqual({ schemas: [ERROR], detail: expect.any(String), status: '404' });
  });

  it('a change of the id is 400 mutability', async () => {
    const replace = patch({ op: 'replace', path: 'id', value: ID });
    const { status, body } = await scim('PATCH', `/Users/${user.id}`, replace);
    expect([status, body]).toEqual([
      400,
      { schemas: [ERROR], scimType: 'mutability', detail: expect.stringContaining('id'), status: '400' },
    ]);
  });
});

describe('RFC 7644, section 3.14', () => {
  it('a new resource has its version in ETag and in meta', async () => {
    const { headers, body } = await scim('POST', '/Users', { schemas: [USER], userName: 'versioned@example.com' });
    expect([headers.get('etag'), body.meta.version]).toEqual([body.meta.version, expect.stringMatching(/^W\/".+"$/)]);
  });

  it('GET with If-None-Match is 304 while the version is the same, and without attributes, too', async () => {
    for (const query of ['', '?attributes=displayName']) {
      const path = `/Users/${user.id}${query}`;
      expect((await scim('GET', path, undefined, { 'if-none-match': user.meta.version })).status).toBe(304);
      expect((await scim('GET', path, undefined, { 'if-none-match': 'W/"e180ee84f0671b1"' })).status).toBe(200);
    }
  });

  it('PUT, PATCH and DELETE with If-Match of another version are 412', async () => {
    const other = { 'if-match': 'W/"a330bc54f0671c9"' };
    const body = { schemas: [USER], userName: 'bjensen@example.com' };
    expect((await scim('PUT', `/Users/${user.id}`, body, other)).status).toBe(412);
    expect((await scim('PATCH', `/Users/${user.id}`, patch({ op: 'remove', path: 'title' }), other)).status).toBe(412);
    expect((await scim('DELETE', `/Users/${user.id}`, undefined, other)).status).toBe(412);
  });
});

describe('RFC 7644, section 4', () => {
  it.each(['/Schemas', '/ResourceTypes'])('%s is a list that cannot be filtered: 403', async path => {
    expect((await scim('GET', path)).body).toMatchObject({ schemas: [LIST], startIndex: 1 });
    expect((await scim('GET', `${path}?filter=name%20eq%20%22User%22`)).status).toBe(403);
  });

  it('a schema is found by its URN', async () => {
    expect((await scim('GET', `/Schemas/${USER}`)).body).toMatchObject({ id: USER, name: 'User' });
  });
});

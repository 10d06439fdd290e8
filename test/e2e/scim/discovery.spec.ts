import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { ENTERPRISE, GROUP, identityProvider, LIST, newUser, USER } from './scim.support.js';

let app: TestApp;
let scim: Call;

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
});

afterAll(() => app?.close());

const get = async (path: string): Promise<Answer['body']> => (await scim('GET', path)).body;

describe('the discovery endpoints', () => {
  it('describe the supported features and the unsupported ones', async () => {
    expect(await get('/ServiceProviderConfig')).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken', primary: true }],
      meta: { resourceType: 'ServiceProviderConfig', location: `${app.url}/scim/v2/ServiceProviderConfig` },
    });
  });

  it('describe the resource types, each also by its name', async () => {
    const { schemas, totalResults, Resources } = await get('/ResourceTypes');
    expect([schemas, totalResults]).toEqual([[LIST], 2]);
    expect(Resources).toMatchObject([
      { id: 'User', endpoint: '/Users', schema: USER, schemaExtensions: [{ schema: ENTERPRISE, required: false }] },
      { id: 'Group', endpoint: '/Groups', schema: GROUP, schemaExtensions: [] },
    ]);
    for (const type of Resources) expect(await get(`/ResourceTypes/${type.name}`)).toEqual(type);
  });

  it('describe the attributes, each schema also by its name', async () => {
    const { Resources } = await get('/Schemas');
    expect(Resources.map((schema: Answer['body']) => schema.id)).toEqual([USER, ENTERPRISE, GROUP]);
    for (const schema of Resources) expect(await get(`/Schemas/${schema.id}`)).toEqual(schema);
    const [user] = Resources;
    expect(user.attributes).toContainEqual(
      expect.objectContaining({
        ...{ name: 'userName', type: 'string', multiValued: false, required: true, caseExact: false },
        ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'server' },
      }),
    );
  });

  it('publish every attribute that resources contain', async () => {
    const { Resources } = await get('/Schemas');
    const published = new Set<string>(['schemas', 'id', 'meta']);
    for (const { attributes } of Resources) for (const { name } of attributes) published.add(name);
    const user = await newUser(scim, 'published@example.com', {
      title: 'T',
      [ENTERPRISE]: { department: 'D', unheardOf: 'x' },
      photos: [{ value: 'https://x.example/p' }],
      unheardOf: 'x',
    });
    const { [ENTERPRISE]: enterprise, ...core } = user;
    const shown = [...Object.keys(core), ...Object.keys(enterprise)];
    expect(shown.filter(name => !published.has(name))).toEqual([]);
  });
});

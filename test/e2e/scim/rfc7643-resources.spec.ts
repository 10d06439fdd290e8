import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { ENTERPRISE, GROUP, identityProvider, newUser, USER } from './scim.support.js';

// The examples of RFC 7643, section 8, sent as requests with its values. This server generates its own ids.

let app: TestApp;
let scim: Call;

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
});

afterAll(() => app?.close());

const FULL = {
  externalId: '701984',
  userName: 'bjensen@example.com',
  name: {
    formatted: 'Ms. Barbara J Jensen, III',
    familyName: 'Jensen',
    givenName: 'Barbara',
    middleName: 'Jane',
    honorificPrefix: 'Ms.',
    honorificSuffix: 'III',
  },
  displayName: 'Babs Jensen',
  nickName: 'Babs',
  profileUrl: 'https://login.example.com/bjensen',
  emails: [
    { value: 'bjensen@example.com', type: 'work', primary: true },
    { value: 'babs@jensen.org', type: 'home' },
  ],
  addresses: [
    {
      type: 'work',
      streetAddress: '100 Universal City Plaza',
      locality: 'Hollywood',
      region: 'CA',
      postalCode: '91608',
      country: 'USA',
      formatted: '100 Universal City Plaza\nHollywood, CA 91608 USA',
      primary: true,
    },
    {
      type: 'home',
      streetAddress: '456 Hollywood Blvd',
      locality: 'Hollywood',
      region: 'CA',
      postalCode: '91608',
      country: 'USA',
      formatted: '456 Hollywood Blvd\nHollywood, CA 91608 USA',
    },
  ],
  phoneNumbers: [
    { value: '555-555-5555', type: 'work' },
    { value: '555-555-4444', type: 'mobile' },
  ],
  userType: 'Employee',
  title: 'Tour Guide',
  preferredLanguage: 'en-US',
  locale: 'en-US',
  timezone: 'America/Los_Angeles',
  active: true,
};

/** Attributes of the RFC that no decision needs: accepted and not stored. */
const NOT_KEPT = {
  ims: [{ value: 'someaimhandle', type: 'aim' }],
  photos: [
    { value: 'https://photos.example.com/profilephoto/72930000000Ccne/F', type: 'photo' },
    { value: 'https://photos.example.com/profilephoto/72930000000Ccne/T', type: 'thumbnail' },
  ],
  password: 't1meMa$heen',
  x509Certificates: [{ value: 'MIIDQzCCAqygAwIBAgICEAAwDQYJKoZIhvcNAQEFBQAwTjELMAkGA1UEBhMCVVMx' }],
};

const EXTENSION = {
  employeeNumber: '701984',
  costCenter: '4130',
  organization: 'Universal Studios',
  division: 'Theme Park',
  department: 'Tour Operations',
  manager: {
    value: '26118915-6090-4610-87e4-49d8ca9f808d',
    $ref: '../Users/26118915-6090-4610-87e4-49d8ca9f808d',
    displayName: 'John Smith',
  },
};

async function created(body: object): Promise<Answer['body']> {
  const { status, body: made, text } = await scim('POST', '/Users', body);
  expect([status, text]).toEqual([201, expect.any(String)]);
  for (const name of Object.keys(NOT_KEPT)) expect(made[name]).toBeUndefined();
  await scim('DELETE', `/Users/${made.id}`);
  return made;
}

describe('RFC 7643, section 8', () => {
  it('8.1: a minimal user has only a name', async () => {
    expect(await created({ schemas: [USER], userName: 'bjensen@example.com' })).toMatchObject({
      schemas: [USER],
      userName: 'bjensen@example.com',
      meta: { resourceType: 'User' },
    });
  });

  it('8.2: a full user is stored except for the unsupported attributes', async () => {
    expect(await created({ schemas: [USER], ...FULL, ...NOT_KEPT })).toMatchObject({ schemas: [USER], ...FULL });
  });

  it('8.3: a user is stored with the enterprise extension', async () => {
    const made = await created({ schemas: [USER, ENTERPRISE], ...FULL, ...NOT_KEPT, [ENTERPRISE]: EXTENSION });
    expect(made).toMatchObject({ schemas: [USER, ENTERPRISE], ...FULL, [ENTERPRISE]: EXTENSION });
    expect((await app.call('GET', `/v1/users/${made.id}`)).body).toMatchObject({ department: 'Tour Operations' });
  });

  it('8.4: a group has its members by id, with this server’s names', async () => {
    const babs = await newUser(scim, 'babs@example.com', { displayName: 'Babs Jensen' });
    app.clock.advance(1);
    const mandy = await newUser(scim, 'mandy@example.com', { displayName: 'Mandy Pepperidge' });
    const members = [babs, mandy].map(({ id, displayName }) => ({
      value: id,
      $ref: `${app.url}/scim/v2/Users/${id}`,
      display: displayName,
    }));
    const { status, body } = await scim('POST', '/Groups', { schemas: [GROUP], displayName: 'Tour Guides', members });
    expect(status).toBe(201);
    expect(body).toMatchObject({ schemas: [GROUP], displayName: 'Tour Guides', members });
  });

  it('8.5: the configuration lists the supported features and the unsupported ones', async () => {
    const { body } = await scim('GET', '/ServiceProviderConfig');
    expect(body).toMatchObject({
      patch: { supported: true },
      // The server of the example supports all six features. This server supports three of them.
      bulk: { supported: false, maxOperations: expect.any(Number), maxPayloadSize: 1_048_576 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken', specUri: expect.stringContaining('rfc6750') }],
    });
  });

  it('8.6: the resource types are User, with its extension, and Group', async () => {
    const { body } = await scim('GET', '/ResourceTypes');
    expect(body.Resources).toMatchObject([
      {
        id: 'User',
        name: 'User',
        endpoint: '/Users',
        schema: USER,
        // The extension is required in the example. Here it is optional, because not every provider sends it.
        schemaExtensions: [{ schema: ENTERPRISE, required: false }],
      },
      { id: 'Group', name: 'Group', endpoint: '/Groups', schema: GROUP },
    ]);
  });

  it('8.7: the schemas describe names and members as the RFC does', async () => {
    const { attributes: ofUser } = (await scim('GET', `/Schemas/${USER}`)).body;
    const { attributes: ofGroup } = (await scim('GET', `/Schemas/${GROUP}`)).body;
    const named = (list: { name: string }[], name: string) => list.find(each => each.name === name);
    const traits = { multiValued: false, caseExact: false, mutability: 'readWrite', returned: 'default' };
    expect(named(ofUser, 'userName')).toMatchObject({
      ...traits,
      type: 'string',
      required: true,
      uniqueness: 'server',
    });
    expect(named(ofUser, 'name')).toMatchObject({ type: 'complex', multiValued: false, required: false });
    expect(named(ofUser, 'groups')).toMatchObject({ type: 'complex', multiValued: true, mutability: 'readOnly' });
    expect(named(ofGroup, 'members')).toMatchObject({ type: 'complex', multiValued: true, required: false });
  });
});

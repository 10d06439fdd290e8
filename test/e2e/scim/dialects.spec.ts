import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../../support/test-app.js';
import { ENTERPRISE, expectOk, GROUP, identityProvider, newGroup, newUser, patch, USER } from './scim.support.js';

let app: TestApp;
let scim: Call;
let count = 0;

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
});

afterAll(() => app?.close());

const someone = (more: object = {}) => newUser(scim, `person${++count}@example.com`, more);
const change = async (id: string, body: object) => (await expectOk(scim('PATCH', `/Users/${id}`, body))).body;
/** Ids in the database's sort order. */
const inOrder = (ids: string[]): string[] => ids.toSorted((a, b) => (a < b ? -1 : 1));
const membersOf = async (id: string): Promise<string[]> =>
  ((await scim('GET', `/Groups/${id}`)).body.members ?? []).map((member: { value: string }) => member.value);

describe('Entra ID', () => {
  it('creates a user with its own attributes, and gets the supported ones back', async () => {
    const { status, body } = await scim('POST', '/Users', {
      schemas: [USER, ENTERPRISE],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@testuser.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
      active: true,
      displayName: 'givenName familyName',
    });
    expect((await app.call('GET', `/v1/users/${body.id}`)).body).toMatchObject({
      email: 'Test_User_fd0ea19b@testuser.com',
    });
  });

  it('changes attributes separately, with Replace in capitals', async () => {
    const { id } = await someone({ emails: [{ type: 'work', primary: true, value: 'old@example.com' }] });
    const body = await change(
      id,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@example.com' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      ),
    );
    expect(body).toMatchObject({
      name: { familyName: 'updatedFamilyName' },
      emails: [{ type: 'work', primary: true, value: 'updatedEmail@example.com' }],
    });
    expect((await app.call('GET', `/v1/users/${id}`)).body).toMatchObject({ email: 'updatedEmail@example.com' });
  });

  it.each(['Add', 'Replace'])(
    'creates a value that %s selects if there is none, and changes the shown address',
    async op => {
      const { id } = await someone();
      const path = 'emails[type eq "work"].value';
      const value = `made-by-${op}@example.com`;
      const body = await change(
        id,
        patch({ op, path, value }, { op, path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555 0100' }),
      );
      expect(body.emails).toEqual([{ type: 'work', value, primary: true }]);
      expect(body.phoneNumbers).toEqual([{ type: 'mobile', value: '+1 555 0100' }]);
    },
  );

  it.each([
    ['"False"', { op: 'Replace', path: 'active', value: 'False' }],
    ['false', { op: 'Replace', path: 'active', value: false }],
    ['"false" without a path', { op: 'replace', value: { active: 'false' } }],
  ])('locks a user out with active %s, and restores access with "True"', async (_words, operation) => {
    const { id } = await someone();
    expect(await change(id, patch(operation))).toMatchObject({ active: false });
    expect((await app.call('GET', `/v1/users/${id}`)).body).toMatchObject({ suspension_causes: ['scim'] });
    // The repeated request succeeds and changes nothing.
    expect(await change(id, patch(operation))).toMatchObject({ active: false });
    expect(await change(id, patch({ op: 'Replace', path: 'active', value: 'True' }))).toMatchObject({ active: true });
  });

  it('names attributes of the extension by their URN, and the manager by the id only', async () => {
    const { id } = await someone();
    const manager = await someone();
    const body = await change(
      id,
      patch(
        { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Retail' },
        { op: 'Add', path: `${ENTERPRISE}:manager`, value: manager.id },
        { op: 'Add', path: `${ENTERPRISE}:employeeNumber`, value: '701984' },
      ),
    );
    expect(body[ENTERPRISE]).toEqual({
      department: 'Retail',
      manager: { value: manager.id },
      employeeNumber: '701984',
    });
    expect((await app.call('GET', `/v1/users/${id}`)).body).toMatchObject({ department: 'Retail' });
    const removed = await change(id, patch({ op: 'Remove', path: `${ENTERPRISE}:manager` }));
    expect(removed[ENTERPRISE].manager).toBeUndefined();
  });

  it('sends many attributes without a path, with their paths as keys', async () => {
    const { id } = await someone();
    const body = await change(
      id,
      patch({
        op: 'replace',
        value: {
          displayName: 'Pat Doe',
          'name.givenName': 'Pat',
          'name.familyName': 'Doe',
          'emails[type eq "work"].value': 'pat.doe@example.com',
          'emails[type eq "work"].primary': true,
          'addresses[type eq "work"].locality': 'Redmond',
          [`${ENTERPRISE}:employeeNumber`]: 'TEST1',
          [ENTERPRISE]: { costCenter: 'CC-1' },
          'roles[primary eq "True"].value': 'not kept',
        },
      }),
    );
    expect(body).toMatchObject({
      displayName: 'Pat Doe',
      name: { givenName: 'Pat', familyName: 'Doe' },
      emails: [{ type: 'work', value: 'pat.doe@example.com', primary: true }],
      addresses: [{ type: 'work', locality: 'Redmond' }],
      [ENTERPRISE]: { employeeNumber: 'TEST1', costCenter: 'CC-1' },
    });
    expect(body.roles).toBeUndefined();
  });

  it('searches users by name, by its own id and by address', async () => {
    const externalId = 'entra-object-1';
    const { id } = await someone({ externalId, emails: [{ type: 'work', value: 'Match.Me@example.com' }] });
    for (const filter of [
      `externalId eq "${externalId}"`,
      'emails[type eq "work"].value eq "match.me@example.com"',
      `userName eq "PERSON${count}@example.com"`,
    ]) {
      const { body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect({ filter, found: body.Resources.map((user: { id: string }) => user.id) }).toEqual({ filter, found: [id] });
    }
  });

  it('searches for an unknown user to test the connection, and gets an empty list', async () => {
    const { status, body } = await scim('GET', '/Users?filter=userName+eq+%22non-existing%22');
    expect([status, body]).toEqual([200, expect.objectContaining({ totalResults: 0, Resources: [] })]);
  });

  it('adds and removes members of a group, which answers 204', async () => {
    const people = [await someone(), await someone(), await someone()].map(({ id }) => id);
    const { id } = await newGroup(scim, 'Entra group');
    const send = async (operation: object) => expectOk(scim('PATCH', `/Groups/${id}`, patch(operation)));
    const added = await send({ op: 'Add', path: 'members', value: people.map(value => ({ $ref: null, value })) });
    expect([added.status, added.text]).toEqual([204, '']);
    expect(await membersOf(id)).toEqual(inOrder(people));
    await send({ op: 'Remove', path: 'members', value: [{ $ref: null, value: people[0] }] });
    await send({ op: 'Remove', path: `members[value eq "${people[1]}"]` });
    expect(await membersOf(id)).toEqual([people[2]]);
    await send({ op: 'Remove', path: 'members' });
    expect(await membersOf(id)).toEqual([]);
  });

  it('renames a group, and reads groups without their members', async () => {
    const { id: member } = await someone();
    const { id } = await newGroup(scim, 'Before', [member]);
    await expectOk(
      scim('PATCH', `/Groups/${id}`, patch({ op: 'Replace', path: 'displayName', value: 'After the merger' })),
    );
    const found = await scim(
      'GET',
      `/Groups?excludedAttributes=members&filter=displayName%20eq%20%22after%20the%20merger%22`,
    );
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id, displayName: 'After the merger' }] });
    expect(found.body.Resources[0].members).toBeUndefined();
    const filter = encodeURIComponent(`id eq "${id}" and members eq "${member}"`);
    expect((await scim('GET', `/Groups?attributes=id&filter=${filter}`)).body.Resources).toEqual([
      { schemas: [GROUP], id },
    ]);
  });

  it('is accepted with the flag that it adds to URLs', async () => {
    expect((await scim('GET', '/Users?aadOptscim062020&count=1')).status).toBe(200);
    const { id } = await someone();
    const body = patch({ op: 'replace', path: 'title', value: 'Flagged' });
    expect((await scim('PATCH', `/Users/${id}?aadOptscim062020`, body)).body).toMatchObject({ title: 'Flagged' });
  });
});

describe('Okta', () => {
  it('searches for a user before it creates one', async () => {
    const { body } = await scim(
      'GET',
      '/Users?filter=userName%20eq%20%22test.user@okta.local%22&startIndex=1&count=100',
    );
    expect(body).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] });
    const { status, body: made } = await scim('POST', '/Users', {
      schemas: [USER],
      userName: 'test.user@okta.local.example',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local.example', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    });
    expect([status, made]).toEqual([
      201,
      expect.objectContaining({ locale: 'en-US', externalId: '00ujl29u0le5T6Aj10h7' }),
    ]);
    expect(JSON.stringify(made)).not.toContain('1mz050nq');
  });

  it('reads a user and writes the whole resource back with changes', async () => {
    const made = await someone({
      name: { givenName: 'Test', familyName: 'User' },
      displayName: 'Test User',
      active: true,
    });
    const { body: read } = await scim('GET', `/Users/${made.id}`);
    const { status, body } = await scim('PUT', `/Users/${made.id}`, {
      ...read,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
      displayName: 'Another User',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: made.id,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
      userName: made.userName,
      active: true,
    });
    // A repeated PUT changes nothing, not even the version.
    expect((await scim('PUT', `/Users/${made.id}`, body)).body).toEqual(body);
  });

  it('deactivates and reactivates without a path', async () => {
    const { id } = await someone();
    expect(await change(id, patch({ op: 'replace', value: { active: false } }))).toMatchObject({ active: false });
    expect(await change(id, patch({ op: 'replace', value: { active: true } }))).toMatchObject({ active: true });
  });

  it('deactivates by PUT too', async () => {
    const made = await someone();
    const { body } = await scim('PUT', `/Users/${made.id}`, { ...made, active: false });
    expect(body).toMatchObject({ active: false });
    expect((await app.call('GET', `/v1/users/${made.id}`)).body).toMatchObject({ status: 'suspended' });
  });

  it('pushes a group: creates it, adds and removes members, renames it with its id in the value', async () => {
    const [first, second] = [await someone(), await someone()];
    const { id } = await newGroup(scim, 'Test SCIMv2', [first.id]);
    const send = (...operations: unknown[]) => expectOk(scim('PATCH', `/Groups/${id}`, patch(...operations)));
    await send(
      { op: 'remove', path: `members[value eq "${first.id}"]` },
      { op: 'add', path: 'members', value: [{ value: second.id, display: second.userName }] },
    );
    expect(await membersOf(id)).toEqual([second.id]);
    await send({ op: 'replace', value: { id, displayName: 'Test SCIMv2 renamed' } });
    await send({ op: 'replace', path: 'members', value: [{ value: first.id }, { value: second.id }] });
    expect(await membersOf(id)).toEqual(inOrder([first.id, second.id]));
    const body = {
      schemas: [GROUP],
      id,
      displayName: 'Test SCIMv2',
      members: [{ value: first.id, display: 'whoever' }],
    };
    expect((await scim('PUT', `/Groups/${id}`, body)).body).toMatchObject({
      displayName: 'Test SCIMv2',
      members: [{ value: first.id, type: 'User' }],
    });
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Groups/${id}`)).status).toBe(404);
  });

  it('imports users page by page', async () => {
    const ids: string[] = [];
    let total = Infinity;
    for (let startIndex = 1; startIndex <= total; startIndex += 3) {
      const { body } = await scim('GET', `/Users?startIndex=${startIndex}&count=3`);
      total = body.totalResults;
      expect(body.startIndex).toBe(startIndex);
      ids.push(...body.Resources.map((user: { id: string }) => user.id));
    }
    expect(ids).toHaveLength(total);
    expect(new Set(ids).size).toBe(total);
  });
});

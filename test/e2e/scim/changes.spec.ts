import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import {
  ENTERPRISE,
  expectOk,
  GROUP,
  identityProvider,
  newGroup,
  newUser,
  patch,
  scimCall,
  USER,
} from './scim.support.js';

let app: TestApp;
let scim: Call;
let count = 0;

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
});

afterAll(() => app?.close());

const someone = (more: object = {}) => newUser(scim, `someone${++count}@example.com`, more);
const seen = async (id: string) => (await app.call('GET', `/v1/users/${id}`)).body;
const departmentOf = async (id: string) => (await seen(id)).department;
const decide = async (id: string) =>
  (await app.call('POST', '/v1/decisions', { user_id: id, provider: 'openai', model: 'gpt-4o' })).body;
const versionOf = async (path: string) => (await scim('GET', path)).headers.get('etag') ?? '';

describe('a version (ETag)', () => {
  it('changes with every change, here or at the identity provider, and not without one', async () => {
    const { id, meta } = await someone();
    const versions = new Set([meta.version]);
    const changes: (() => Promise<Answer>)[] = [
      () => scim('PATCH', `/Users/${id}`, patch({ op: 'add', path: 'title', value: 'Engineer' })),
      () => app.call('PUT', `/v1/users/${id}`, { name: 'Renamed' }),
      () => app.call('POST', `/v1/users/${id}/offboard`),
      () => scim('POST', '/Groups', { schemas: [GROUP], displayName: 'Versions', members: [{ value: id }] }),
    ];
    for (const change of changes) {
      await expectOk(change());
      versions.add(await versionOf(`/Users/${id}`));
    }
    expect(versions.size).toBe(changes.length + 1);
    await expectOk(scim('PATCH', `/Users/${id}`, patch({ op: 'add', path: 'title', value: 'Engineer' })));
    expect([...versions]).toContain(await versionOf(`/Users/${id}`));
    expect(await seen(id)).toMatchObject({ name: 'Renamed' });
  });

  it('in If-None-Match avoids the body of an unchanged resource', async () => {
    const user = await someone();
    const group = await newGroup(scim, 'Known', [user.id]);
    for (const path of [`/Users/${user.id}`, `/Groups/${group.id}`]) {
      const version = await versionOf(path);
      for (const known of [version, version.slice(2), `W/"0", ${version}`, '*']) {
        const { status, text, headers } = await scim('GET', path, undefined, { 'if-none-match': known });
        expect([known, status, text, headers.get('etag')]).toEqual([known, 304, '', version]);
      }
      expect((await scim('GET', path, undefined, { 'if-none-match': 'W/"0"' })).status).toBe(200);
    }
  });

  it('of a group changes when a member is renamed, here or by SCIM', async () => {
    const [renamed, other] = [await someone(), await someone()];
    const group = await newGroup(scim, 'Renamed members', [renamed.id, other.id]);
    const path = `/Groups/${group.id}`;
    const versions = [await versionOf(path)];
    app.clock.advance(1_000);
    await expectOk(app.call('PUT', `/v1/users/${renamed.id}`, { name: 'Another Name' }));
    versions.push(await versionOf(path));
    await expectOk(scim('PATCH', `/Users/${other.id}`, patch({ op: 'add', path: 'displayName', value: 'One More' })));
    versions.push(await versionOf(path));
    const line = `email,name\n${renamed.userName},By Import\n`;
    await expectOk(app.call('POST', '/v1/users/import?mode=upsert', line, { 'content-type': 'text/csv' }));
    versions.push(await versionOf(path));
    expect(new Set(versions).size).toBe(versions.length);
    const { status, body } = await scim('GET', path, undefined, { 'if-none-match': versions[0]! });
    expect(status).toBe(200);
    expect(body.members.map((member: { display: string }) => member.display).toSorted()).toEqual([
      'By Import',
      'One More',
    ]);
    expect(body.meta.lastModified > group.meta.lastModified).toBe(true);
    // This change of a user is not visible in the group, so the version of the group stays.
    await expectOk(app.call('PUT', `/v1/users/${renamed.id}`, { role: 'lead' }));
    expect(await versionOf(path)).toBe(versions.at(-1));
  });

  it('in If-Match refuses a change of a resource that has changed since', async () => {
    const user = await someone();
    const group = await newGroup(scim, 'Matched');
    const bodies = {
      [`/Users/${user.id}`]: { schemas: [USER], userName: user.userName, title: 'New' },
      [`/Groups/${group.id}`]: { schemas: [GROUP], displayName: 'Matched again' },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const version = await versionOf(path);
      const stale = { 'if-match': 'W/"1"' };
      const title = patch({ op: 'replace', path: 'externalId', value: 'x' });
      for (const [method, given] of [['PUT', body], ['PATCH', title], ['DELETE']] as const) {
        const { status, body: error } = await scim(method, path, given, stale);
        expect([path, method, status, error.status]).toEqual([path, method, 412, '412']);
      }
      expect(await versionOf(path)).toBe(version);
      await expectOk(scim('PUT', path, body, { 'if-match': version }));
      await expectOk(scim('PATCH', path, title, { 'if-match': '*' }));
      await expectOk(scim('DELETE', path, undefined, { 'if-match': await versionOf(path) }));
    }
  });

  it('lets exactly one of many changes with the same version succeed', async () => {
    const { id, meta } = await someone();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'title', value: `Title ${n}` }), {
          'if-match': meta.version,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await scim('GET', `/Users/${id}`)).body.title).toBe(`Title ${winner}`);
  });
});

describe('concurrent changes', () => {
  it('of one user all take effect if they concern different attributes', async () => {
    const { id } = await someone();
    const parts = ['title', 'nickName', 'userType', 'locale', 'name.givenName', `${ENTERPRISE}:costCenter`];
    const answers = await Promise.all(
      parts.map(path => scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path, value: `of ${path}` }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(parts.map(() => 200));
    expect((await scim('GET', `/Users/${id}`)).body).toMatchObject({
      title: 'of title',
      nickName: 'of nickName',
      userType: 'of userType',
      locale: 'of locale',
      name: { givenName: 'of name.givenName' },
      [ENTERPRISE]: { costCenter: `of ${ENTERPRISE}:costCenter` },
    });
  });

  it('create one user if all create the same', async () => {
    const body = { schemas: [USER], userName: 'once', emails: [{ value: 'once@example.com' }] };
    const create = () => Promise.all(Array.from({ length: 6 }, () => scim('POST', '/Users', body)));
    const first = await create();
    expect(first.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(5).fill(409)]);
    const { id } = first.find(({ status }) => status === 201)!.body;
    await expectOk(scim('DELETE', `/Users/${id}`));
    const again = await create();
    expect(again.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(5).fill(409)]);
    expect(again.find(({ status }) => status === 201)!.body.id).toBe(id);
  });

  it('of one group lose no member', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => someone()));
    const { id } = await newGroup(scim, 'Race');
    await Promise.all(
      people.map(({ id: value }) =>
        scim('PATCH', `/Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value }] })),
      ),
    );
    expect((await scim('GET', `/Groups/${id}`)).body.members).toHaveLength(6);
  });
});

describe('pages', () => {
  it('stay the same while users are added after them', async () => {
    const firsts = await Promise.all([someone(), someone(), someone()]);
    const page = async (startIndex: number) => (await scim('GET', `/Users?startIndex=${startIndex}&count=2`)).body;
    const before = await page(1);
    app.clock.advance(1);
    await someone();
    expect((await page(1)).Resources).toEqual(before.Resources);
    expect((await page(1)).totalResults).toBe(before.totalResults + 1);
    expect(firsts).toHaveLength(3);
    const { Resources, itemsPerPage, totalResults } = await page(before.totalResults + 10);
    expect([Resources, itemsPerPage, totalResults]).toEqual([[], 0, before.totalResults + 1]);
    expect(await page(0)).toMatchObject({ startIndex: 1 });
    expect((await scim('GET', '/Users?count=0')).body).toMatchObject({ totalResults, Resources: [] });
    expect((await scim('GET', '/Users?count=-5')).body).toMatchObject({ totalResults, Resources: [] });
  });
});

describe('access to LLMs', () => {
  it('ends and returns as the identity provider says', async () => {
    const { id } = await someone();
    expect(await decide(id)).toMatchObject({ allowed: true });
    await expectOk(scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false })));
    expect(await decide(id)).toMatchObject({ allowed: false, reason: 'user_suspended' });
    await expectOk(scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: true })));
    expect(await decide(id)).toMatchObject({ allowed: true });
    await expectOk(scim('DELETE', `/Users/${id}`));
    expect(await decide(id)).toMatchObject({ allowed: false, reason: 'user_suspended' });
  });

  it('stays revoked for users who were offboarded here, and SCIM reports it', async () => {
    const { id } = await someone();
    await app.call('POST', `/v1/users/${id}/offboard`);
    const { body } = await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: true }));
    expect(body).toMatchObject({ active: false });
    // A change of another attribute does not suspend the user by SCIM.
    await expectOk(scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'title', value: 'Leaver' })));
    expect(await seen(id)).toMatchObject({ suspension_causes: ['offboarding'] });
    await app.call('POST', `/v1/users/${id}/reinstate`);
    expect((await scim('GET', `/Users/${id}`)).body).toMatchObject({ active: true });
  });

  it('is not restored when an offboarding is lifted here while the identity provider denies it', async () => {
    const { id } = await someone({ active: false });
    expect(await seen(id)).toMatchObject({ status: 'suspended', suspension_causes: ['scim'] });
    expect((await app.call('POST', `/v1/users/${id}/reinstate`)).status).toBe(409);
    expect(await decide(id)).toMatchObject({ allowed: false });
  });
});

describe('groups', () => {
  const group = (name: string, ...ids: string[]) => newGroup(scim, name, ids);

  it('set the department, which decisions use at once', async () => {
    const { id } = await someone();
    await app.call('POST', '/v1/policies', {
      name: 'Research only',
      action: 'block',
      conditions: { department: { eq: 'Trading' } },
    });
    expect(await decide(id)).toMatchObject({ action: 'allow' });
    const { id: groupId } = await group('Trading', id);
    expect(await departmentOf(id)).toBe('Trading');
    expect(await decide(id)).toMatchObject({ action: 'block' });
    await expectOk(scim('PATCH', `/Groups/${groupId}`, patch({ op: 'remove', path: `members[value eq "${id}"]` })));
    expect(await departmentOf(id)).toBeNull();
    expect(await decide(id)).toMatchObject({ action: 'allow' });
  });

  it('set the department of the group that comes first by name, if a user is in several', async () => {
    const { id } = await someone();
    const beta = await group('Beta', id);
    const alpha = await group('Alpha', id);
    expect(await departmentOf(id)).toBe('Alpha');
    expect((await scim('GET', `/Users/${id}`)).body.groups).toEqual([
      { value: alpha.id, $ref: `${app.url}/scim/v2/Groups/${alpha.id}`, display: 'Alpha', type: 'direct' },
      { value: beta.id, $ref: `${app.url}/scim/v2/Groups/${beta.id}`, display: 'Beta', type: 'direct' },
    ]);
    await expectOk(scim('PATCH', `/Groups/${alpha.id}`, patch({ op: 'replace', path: 'displayName', value: 'Zeta' })));
    expect(await departmentOf(id)).toBe('Beta');
    await expectOk(scim('DELETE', `/Groups/${beta.id}`));
    expect(await departmentOf(id)).toBe('Zeta');
    await expectOk(scim('DELETE', `/Groups/${alpha.id}`));
    expect(await departmentOf(id)).toBeNull();
  });

  it('do not override a department that the identity provider states', async () => {
    const { id } = await someone({ [ENTERPRISE]: { department: 'Stated' } });
    await group('A group', id);
    expect(await departmentOf(id)).toBe('Stated');
    await expectOk(scim('PATCH', `/Users/${id}`, patch({ op: 'remove', path: `${ENTERPRISE}:department` })));
    expect(await departmentOf(id)).toBe('A group');
  });

  it('do not override a department that somebody set here', async () => {
    const { body } = await app.call('POST', '/v1/users', {
      email: 'own@example.com',
      name: 'Own',
      department: 'By hand',
    });
    const { id } = await group('For a while', body.id);
    expect(await departmentOf(body.id)).toBe('For a while');
    await app.call('PUT', `/v1/users/${body.id}`, { department: 'By hand again' });
    await expectOk(scim('PUT', `/Groups/${id}`, { schemas: [GROUP], displayName: 'For a while' }));
    expect(await departmentOf(body.id)).toBe('By hand again');
  });

  it('lose users whom the identity provider removes', async () => {
    const { id } = await someone();
    const { id: groupId } = await group('Leaving', id);
    const version = await versionOf(`/Groups/${groupId}`);
    await expectOk(scim('DELETE', `/Users/${id}`));
    const { body } = await scim('GET', `/Groups/${groupId}`);
    expect(body.members).toBeUndefined();
    expect(body.meta.version).not.toBe(version);
    const again = patch({ op: 'add', path: 'members', value: [{ value: id }] });
    expect((await scim('PATCH', `/Groups/${groupId}`, again)).status).toBe(400);
  });
});

describe('another organization', () => {
  it('cannot see, find or change our resources', async () => {
    const { id } = await someone({ externalId: 'ours' });
    const { id: groupId } = await newGroup(scim, 'Ours', [id]);
    const theirs = scimCall((await app.addOrganization()).call);
    const body = { schemas: [USER], userName: 'x@example.com' };
    const requests: [string, string, object?][] = [
      ['GET', `/Users/${id}`],
      ['PUT', `/Users/${id}`, body],
      ['PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false })],
      ['DELETE', `/Users/${id}`],
      ['GET', `/Groups/${groupId}`],
      ['PUT', `/Groups/${groupId}`, { schemas: [GROUP], displayName: 'Theirs' }],
      ['PATCH', `/Groups/${groupId}`, patch({ op: 'remove', path: 'members' })],
      ['DELETE', `/Groups/${groupId}`],
    ];
    for (const [method, path, given] of requests) {
      const answer = await theirs(method, path, given);
      const unknown = await theirs(method, path.replace(/[^/]+$/, '00000000-0000-4000-8000-000000000000'), given);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
      expect(answer.body).toEqual(unknown.body);
    }
    for (const filter of ['externalId eq "ours"', `id eq "${id}"`, `groups[display eq "ours"]`, 'userName pr']) {
      expect((await theirs('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body.totalResults).toBe(0);
    }
    expect((await theirs('GET', '/Groups')).body.totalResults).toBe(0);
    const mixed = { schemas: [GROUP], displayName: 'Theirs', members: [{ value: id }] };
    expect((await theirs('POST', '/Groups', mixed)).status).toBe(400);
    expect((await theirs('POST', '/Users', { ...body, userName: `someone${count}@example.com` })).status).toBe(201);
    expect((await scim('GET', `/Users/${id}`)).body).toMatchObject({ active: true, externalId: 'ours' });
  });
});

describe('the audit log', () => {
  it('names each change with the values before and after, and the token as the actor', async () => {
    const { call } = await app.addToken('scim');
    const provider = scimCall(call);
    const { id } = await newUser(provider, 'audited@example.com', { title: 'Before' });
    await expectOk(provider('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'title', value: 'After' })));
    await expectOk(provider('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false })));
    const group = await newGroup(provider, 'Audited', [id]);
    await expectOk(provider('DELETE', `/Groups/${group.id}`));
    await expectOk(provider('DELETE', `/Users/${id}`));
    const { body } = await app.call('GET', '/v1/audit-log?limit=7');
    const actions = body.items.map((entry: { action: string }) => entry.action).toReversed();
    expect(actions).toEqual([
      'user.updated',
      'user.suspended',
      'scim_group.created',
      'user.department_assigned',
      'scim_group.deleted',
      'user.department_assigned',
      'user.updated',
    ]);
    const updated = body.items.at(-1);
    expect(updated).toMatchObject({
      before: { scim: { profile: { title: 'Before' } } },
      after: { scim: { profile: { title: 'After' } } },
    });
    for (const entry of body.items) expect(entry).toMatchObject({ actor_kind: 'token', actor_name: 'test scim' });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { expectOk, identityProvider, newUser, patch, USER } from './scim.support.js';

let app: TestApp;
let scim: Call;
let count = 0;

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
});

afterAll(() => app?.close());

const address = () => `someone${++count}@example.com`;
const seen = async (id: string): Promise<Answer['body']> => (await app.call('GET', `/v1/users/${id}`)).body;
const here = async (more: object = {}): Promise<Answer['body']> =>
  (await expectOk(app.call('POST', '/v1/users', { email: address(), name: 'Here', ...more }))).body;
const change = async (id: string, ...operations: object[]) =>
  (await expectOk(scim('PATCH', `/Users/${id}`, patch(...operations)))).body;
const put = async (id: string, body: object) => (await expectOk(scim('PUT', `/Users/${id}`, body))).body;
const named = async (userName: string): Promise<string[]> =>
  (await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`)).body.Resources.map(
    ({ id }: { id: string }) => id,
  );

describe('an address that SCIM shows without having set it', () => {
  it.each([
    ['a list', { op: 'add', path: 'emails', value: [{ value: 'private@mail.example', type: 'other' }] }],
    ['a value filter', { op: 'Add', path: 'emails[type eq "other"].value', value: 'private@mail.example' }],
    ['a value without a path', { op: 'add', value: { emails: [{ value: 'private@mail.example', type: 'other' }] } }],
  ])('stays, and still belongs to the user, when another is added by %s', async (_words, operation) => {
    const { id, email } = await here();
    expect((await change(id, operation)).emails).toEqual([
      { value: email, type: 'work', primary: true },
      { value: 'private@mail.example', type: 'other' },
    ]);
    expect(await seen(id)).toMatchObject({ email });
  });

  it('follows the user name until SCIM sets an address', async () => {
    const { id } = await newUser(scim, address());
    await change(id, { op: 'replace', path: 'title', value: 'T' });
    const userName = address();
    await change(id, { op: 'replace', path: 'userName', value: userName });
    expect(await seen(id)).toMatchObject({ email: userName });
  });
});

describe('a change that was made here', () => {
  const said = () => {
    const value = address();
    return { displayName: 'Said', emails: [{ value, type: 'work', primary: true }] };
  };
  const changedHere = async (): Promise<{ id: string; told: Answer['body']; email: string }> => {
    const told = said();
    const { id, userName } = await newUser(scim, `name${++count}`, told);
    const email = address();
    await expectOk(app.call('PUT', `/v1/users/${id}`, { name: 'Here', email }));
    return { id, told: { schemas: [USER], userName, ...told }, email };
  };

  it('is kept after a PUT of the previous values with another title', async () => {
    const { id, told, email } = await changedHere();
    expect(await put(id, { ...told, title: 'New' })).toMatchObject({ title: 'New', displayName: 'Here' });
    expect(await seen(id)).toMatchObject({ name: 'Here', email });
  });

  it('is kept after a PATCH of another attribute, and a PUT after that', async () => {
    const { id, told, email } = await changedHere();
    await change(id, { op: 'replace', path: 'title', value: 'New' });
    const more = { op: 'add', path: 'emails', value: [{ value: 'more@mail.example', type: 'home' }] };
    expect((await change(id, more)).emails).toEqual([
      { value: email, type: 'work', primary: true },
      { value: 'more@mail.example', type: 'home' },
    ]);
    await put(id, told);
    expect(await seen(id)).toMatchObject({ name: 'Here', email });
  });

  it('is overwritten by a change of the identity provider', async () => {
    const { id, told } = await changedHere();
    const value = address();
    await put(id, { ...told, displayName: 'Said anew', emails: [{ value, type: 'work', primary: true }] });
    expect(await seen(id)).toMatchObject({ name: 'Said anew', email: value });
  });

  it("is overwritten by a PATCH that repeats the identity provider's value", async () => {
    const { id, told } = await changedHere();
    const [{ value }] = told.emails;
    await change(
      id,
      { op: 'replace', path: 'displayName', value: 'Said' },
      { op: 'replace', path: 'emails[type eq "work"].value', value },
    );
    expect(await seen(id)).toMatchObject({ name: 'Said', email: value });
  });

  it('is returned to the identity provider, which may write it back', async () => {
    const { id, email } = await changedHere();
    const { body: read } = await scim('GET', `/Users/${id}`);
    expect(read).toMatchObject({ displayName: 'Here', emails: [{ value: email }] });
    await put(id, { ...read, title: 'New' });
    expect(await seen(id)).toMatchObject({ name: 'Here', email });
  });
});

describe('a user name', () => {
  it('is refused to a returning user while another user has it', async () => {
    const emails = [{ value: address() }];
    const first = await newUser(scim, 'alice', { emails });
    await expectOk(scim('DELETE', `/Users/${first.id}`));
    const second = await newUser(scim, 'Alice', { emails: [{ value: address() }] });
    const again = await scim('POST', '/Users', { schemas: [USER], userName: 'alice', emails });
    expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness']);
    expect(await named('alice')).toEqual([second.id]);
    // With another name, the removed user can be created again, and is the same user.
    expect((await newUser(scim, 'alice2', { emails })).id).toBe(first.id);
  });

  it('still belongs to one user if a user with this address is created here', async () => {
    const userName = address();
    const { id } = await newUser(scim, userName, { emails: [{ value: address() }] });
    const other = await here({ email: userName });
    expect(await named(userName)).toEqual([id]);
    // For a user without SCIM data, SCIM shows the address as user name. If another user has this name, SCIM shows the
    // id.
    expect((await scim('GET', `/Users/${other.id}`)).body).toMatchObject({
      userName: other.id,
      emails: [{ value: userName }],
    });
    expect(await named(other.id)).toEqual([other.id]);
    expect(await change(other.id, { op: 'add', path: 'title', value: 'T' })).toMatchObject({ userName: other.id });
    const names = (await scim('GET', '/Users?attributes=userName')).body.Resources.map((user: { userName: string }) =>
      user.userName.toLowerCase(),
    );
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a user who was made inactive here', () => {
  const setActive = (id: string, value: boolean) => change(id, { op: 'replace', path: 'active', value });

  it('is not reactivated by the identity provider, even if it deactivates and reactivates', async () => {
    const { id, email } = await here({ status: 'inactive' });
    await setActive(id, false);
    expect(await seen(id)).toMatchObject({ status: 'suspended', suspension_causes: ['scim'] });
    expect(await setActive(id, true)).toMatchObject({ active: false });
    expect(await seen(id)).toMatchObject({ status: 'inactive', suspension_causes: [] });
    await expectOk(scim('DELETE', `/Users/${id}`));
    expect(await newUser(scim, email)).toMatchObject({ id, active: false });
    expect(await seen(id)).toMatchObject({ status: 'inactive' });
    await expectOk(app.call('PUT', `/v1/users/${id}`, { status: 'active' }));
    await setActive(id, false);
    expect(await setActive(id, true)).toMatchObject({ active: true });
  });

  it('is reactivated by lifting an offboarding here', async () => {
    const { id } = await here({ status: 'inactive' });
    await setActive(id, false);
    await expectOk(app.call('POST', `/v1/users/${id}/offboard`));
    expect(await setActive(id, true)).toMatchObject({ active: false });
    await expectOk(app.call('POST', `/v1/users/${id}/reinstate`));
    expect(await seen(id)).toMatchObject({ status: 'active' });
  });
});

describe('active', () => {
  it.each([
    ['removed', { op: 'remove', path: 'active' }],
    ['set to null', { op: 'replace', path: 'active', value: null }],
    ['set to null without a path', { op: 'replace', value: { active: null, title: 'T' } }],
  ])('always has a value: it cannot be %s', async (_words, operation) => {
    const { id } = await newUser(scim, address(), { active: false });
    const { status, body } = await scim('PATCH', `/Users/${id}`, patch(operation));
    expect([status, body.scimType, body.detail]).toEqual([400, 'invalidValue', expect.stringContaining('active')]);
    expect(await seen(id)).toMatchObject({ status: 'suspended' });
  });
});

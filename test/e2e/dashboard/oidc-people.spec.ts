import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ProviderEmulator } from '../../support/oidc/provider-emulator.js';
import { startTestApp } from '../../support/test-app.js';
import { Browser, builtPage } from './dashboard.support.js';
import { errorIn, GROUPS, hire, Person, PUBLIC, settingsOf, useOidcStage, type OidcStage } from './oidc.support.js';

let app: OidcStage['app'];
let newPerson: OidcStage['newPerson'];
let provider: OidcStage['provider'];
let time: OidcStage['time'];
let lastOf: OidcStage['lastOf'];
useOidcStage(stage => {
  ({ app, newPerson, provider, time, lastOf } = stage);
});

describe('a user whom the provider has signed in', () => {
  it.each<[string, object, string]>([
    ['the e-mail address is not verified', { email_verified: false }, 'unverified_email'],
    ['it is unknown whether the e-mail address is verified', { email_verified: undefined }, 'unverified_email'],
    ['no user has the e-mail address', { email: 'nobody@example.com' }, 'unknown'],
    ['no group has a role', { groups: ['visitors'] }, 'no_role'],
    ['the claims name no organization', { org_id: 'nowhere' }, 'no_organization'],
    ['the claims name an organization that does not exist', { org_id: randomUUID() }, 'no_organization'],
  ])('is refused when %s, and no account is linked', async (_name, claims, code) => {
    const { id } = await newPerson(claims);
    const person = new Person(app);
    expect(errorIn(await person.signIn('users'))).toBe(code);
    expect(person.cookies.size).toBe(0);
    expect((await app.call('GET', `/v1/identities?user_id=${id}`)).body.items).toEqual([]);
  });

  it('is refused with an entry in the audit log', async () => {
    const { sub } = await newPerson({ email: 'nobody@example.com' });
    await new Person(app).signIn();
    expect(await lastOf('sign_in.refused')).toMatchObject({
      ...{ actor_id: `${provider.issuer}#${sub}`, resource_type: 'identity_provider', resource_id: 'acme' },
      after: { issuer: provider.issuer, subject: sub, reason: 'unknown' },
    });
  });

  it('is refused if another claim than email identifies the user, unless the provider is trusted', async () => {
    const login = `${randomUUID()}@example.com`;
    await newPerson({ login, role: 'auditor' });
    const id = await hire(app.call, login);
    expect(errorIn(await new Person(app).signIn('', 'strict'))).toBe('no_role');
    provider.account = { ...provider.account, groups: ['admin'] };
    expect(errorIn(await new Person(app).signIn('', 'strict'))).toBe('unverified_email');
    const person = new Person(app);
    await person.signIn('', 'trusted');
    expect((await person.call('GET', '/v1/me')).body).toMatchObject({ role: 'auditor', user: { id } });
  });

  it('gets the default role if no claim names one', async () => {
    const login = `${randomUUID()}@example.com`;
    await newPerson({ login });
    await hire(app.call, login);
    const person = new Person(app);
    await person.signIn('', 'trusted');
    expect((await person.call('GET', '/v1/me')).body.role).toBe('member');
  });

  it('always has the current role of the user in the directory, if the settings say so', async () => {
    const { id } = await newPerson();
    expect(errorIn(await new Person(app).signIn('', 'ranks'))).toBe('no_role');
    await app.call('PUT', `/v1/users/${id}`, { role: 'readers' });
    const person = new Person(app);
    await person.signIn('', 'ranks');
    expect((await person.call('GET', '/v1/me')).body.role).toBe('auditor');
    await app.call('PUT', `/v1/users/${id}`, { role: 'operators' });
    expect((await person.call('GET', '/v1/me')).body.role).toBe('admin');
  });

  it('cannot be the user of another account with the same email address', async () => {
    await newPerson();
    await new Person(app).signIn();
    provider.account = { ...provider.account, sub: randomUUID() };
    expect(errorIn(await new Person(app).signIn())).toBe('taken');
  });

  it('loses the session at once when suspended, and cannot sign in before being reinstated', async () => {
    const { id } = await newPerson();
    const person = new Person(app);
    await person.signIn();
    await app.call('POST', `/v1/users/${id}/offboard`);
    expect((await person.call('GET', '/v1/me')).status).toBe(401);
    expect(errorIn(await person.signIn())).toBe('no_access');
    await app.call('POST', `/v1/users/${id}/reinstate`);
    expect((await person.call('GET', '/v1/me')).status).toBe(401);
    time.advance(1_500);
    expect(await person.signIn()).toBe(PUBLIC);
    expect((await person.call('GET', '/v1/me')).status).toBe(200);
  });

  it('loses the session at once when its account is unlinked', async () => {
    const { id } = await newPerson();
    const person = new Person(app);
    await person.signIn();
    const [{ id: link }] = (await app.call('GET', `/v1/identities?user_id=${id}`)).body.items;
    await app.call('DELETE', `/v1/identities/${link}`);
    expect((await person.call('GET', '/v1/me')).status).toBe(401);
  });

  it('loses the session when another browser ends it', async () => {
    const { id } = await newPerson();
    const [one, two] = [new Person(app), new Person(app)];
    await one.signIn();
    await two.signIn();
    const { items } = (await one.call('GET', '/v1/sessions')).body;
    const other = items.find((item: { current: boolean; user_id: string }) => !item.current && item.user_id === id);
    expect((await one.call('DELETE', `/v1/sessions/${other.id}`)).status).toBe(204);
    expect([(await two.call('GET', '/v1/me')).status, (await one.call('GET', '/v1/me')).status]).toEqual([401, 200]);
  });

  it("signs out of the dashboard, and is redirected to the provider's sign-out", async () => {
    await newPerson();
    const person = new Person(app);
    await person.signIn();
    const { status, headers } = await person.call('DELETE', '/session');
    const next = new URL(headers.get('location') ?? '');
    expect([status, next.origin + next.pathname]).toEqual([204, `${provider.issuer}/end`]);
    expect(Object.fromEntries(next.searchParams)).toEqual({ client_id: 'dashboard', post_logout_redirect_uri: PUBLIC });
    expect((await person.call('GET', '/v1/me')).status).toBe(401);
  });
});

describe('an unavailable provider', () => {
  it('does not prevent the app from booting, and is used as soon as it is available', async () => {
    const later = await ProviderEmulator.start(() => time.now());
    later.misbehavior = { status: 503 };
    const { database: testDatabase, orgId } = app;
    const oidc = { publicUrl: PUBLIC, providers: [settingsOf(later, GROUPS)] };
    const dashboard = { sessions: true, folder: await builtPage() };
    const replica = await startTestApp({ time, testDatabase, orgId, dashboard, oidc, adapter: new FastifyAdapter() });
    try {
      await newPerson();
      later.account = provider.account;
      const person = new Person(replica);
      expect(errorIn(await person.begin('users'))).toBe('unavailable');
      expect((await new Browser(replica).signIn(replica.adminToken)).status).toBe(201);
      later.misbehavior = {};
      expect(await person.signIn()).toBe(PUBLIC);
      // The provider fails during this second sign-in. The session of the first sign-in must stay valid.
      const second = new Person(replica);
      const answer = await second.answerAt(await second.begin());
      later.misbehavior = { status: 503 };
      expect(errorIn(await second.end(answer))).toBe('unavailable');
      expect((await person.call('GET', '/v1/me')).status).toBe(200);
      expect((await person.call('DELETE', '/session')).status).toBe(204);
    } finally {
      await replica.close();
      await later.close();
    }
  });

  it('is not used if its metadata name another issuer', async () => {
    const strange = await ProviderEmulator.start(() => time.now());
    strange.misbehavior = { issuer: 'https://id.example.com' };
    const { database: testDatabase, orgId } = app;
    const oidc = { publicUrl: PUBLIC, providers: [settingsOf(strange, GROUPS)] };
    const dashboard = { sessions: true, folder: await builtPage() };
    const replica = await startTestApp({ time, testDatabase, orgId, dashboard, oidc });
    try {
      expect(errorIn(await new Person(replica).begin())).toBe('invalid');
    } finally {
      await replica.close();
      await strange.close();
    }
  });
});

describe('the sign-in page', () => {
  it('names the providers, and escapes markup in their names', async () => {
    const { text } = await app.as(null)('GET', '/', undefined, { accept: 'text/html' });
    expect(text).toContain('<meta name="sign-in" content="token" />');
    expect(text).toContain(
      '<meta name="identity-providers" content="[{&quot;id&quot;:&quot;acme&quot;,&quot;name&quot;:',
    );
    expect(text).toContain('&quot;\\&quot;Ranks\\&quot; &amp; &lt;co>&quot;');
    expect(text).not.toContain(provider.clientSecret);
  });

  it('has no route for a provider that is not configured', async () => {
    expect(await new Person(app).begin('', 'nobody')).toBe('status 404');
    expect(await new Person(app).end(`${PUBLIC}session/oidc/nobody/callback?code=1&state=2`)).toBe('status 404');
  });

  it.each([
    [undefined, 'set publicUrl'],
    ['http://governance.example.com', 'must be an https: URL'],
  ])('is refused at boot with providers and the public address %s', async (publicUrl, message) => {
    const oidc = { providers: [settingsOf(provider)], ...(publicUrl === undefined ? {} : { publicUrl }) };
    const { database: testDatabase, orgId } = app;
    const boot = startTestApp({ testDatabase, orgId, dashboard: { sessions: true }, oidc });
    await expect(boot).rejects.toThrow(message);
  });
});

import { describe, expect, it } from '@jest/globals';
import { type Misbehavior } from '../../support/oidc/provider-emulator.js';
import { errorIn, Person, PUBLIC, useOidcStage, type OidcStage } from './oidc.support.js';

const MINUTE = 60_000;

let app: OidcStage['app'];
let newPerson: OidcStage['newPerson'];
let provider: OidcStage['provider'];
let time: OidcStage['time'];
let lastOf: OidcStage['lastOf'];
const errors = useOidcStage(stage => {
  ({ app, newPerson, provider, time, lastOf } = stage);
});

describe('a sign-in at an identity provider', () => {
  it('starts a session of the user with the verified email address, and redirects to the requested page', async () => {
    const { id, email, sub } = await newPerson();
    const person = new Person(app);
    expect(await person.signIn('users?status=suspended')).toBe(`${PUBLIC}users?status=suspended`);
    const { body } = await person.call('GET', '/v1/me');
    expect(body).toMatchObject({ kind: 'jwt', id: `${provider.issuer}#${sub}`, role: 'admin', user: { id, email } });
    expect(body.session).not.toBeNull();
    const { items } = (await person.call('GET', '/v1/sessions')).body;
    expect(items).toContainEqual(
      expect.objectContaining({
        user_id: id,
        credential: 'oidc',
        credential_id: `${provider.issuer}#${sub}`,
        current: true,
      }),
    );
  });

  it('uses PKCE, a state, a nonce and the exact redirect URI, and sends nothing else', async () => {
    const person = new Person(app);
    const url = new URL(await person.begin());
    const { state, nonce, code_challenge, ...asked } = Object.fromEntries(url.searchParams);
    expect(asked).toEqual({
      ...{
        client_id: 'dashboard',
        response_type: 'code',
        scope: 'openid email profile',
        code_challenge_method: 'S256',
      },
      redirect_uri: `${PUBLIC}session/oidc/acme/callback`,
    });
    const other = new URL(await person.begin()).searchParams;
    for (const [name, value] of Object.entries({ state, nonce, code_challenge })) {
      expect(value).toMatch(/^[\w-]{43}$/);
      expect(other.get(name)).not.toBe(value);
    }
  });

  it('is bound to the browser by a cookie of this host, which is deleted afterwards', async () => {
    await newPerson();
    const person = new Person(app);
    const answer = await person.answerAt(await person.begin());
    const [begun = ''] = person.seen;
    expect(begun).toMatch(
      /^__Host-governance_oidc_[\w-]{16}=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
    );
    expect(begun).not.toContain(new URL(answer).searchParams.get('state'));
    await person.end(answer);
    expect([...person.cookies.keys()]).toEqual(['governance_session']);
    expect(person.seen.at(-2)).toMatch(
      /^governance_session=[\w-]{43}; Path=\/tools; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  it('works in several tabs at once, and only the last four stay valid', async () => {
    await newPerson();
    const person = new Person(app);
    const addresses: string[] = [];
    for (let tab = 0; tab < 6; tab += 1) addresses.push(await person.begin(`users?tab=${tab}`));
    expect(person.cookies.size).toBe(4);
    const ends = [];
    for (const tab of [5, 0]) ends.push(await person.end(await person.answerAt(addresses[tab] ?? '')));
    expect([ends[0], errorIn(ends[1] ?? '')]).toEqual([`${PUBLIC}users?tab=5`, 'expired']);
  });

  it.each([
    ['https://evil.example.com/'],
    ['//evil.example.com/users'],
    ['\\\\evil.example.com'],
    ['/other-app'],
    ['../other-app'],
    ['javascript:alert(1)'],
    ['https://governance.example.com@evil.example.com/tools/'],
    ['session/oidc/acme'],
    [`users?q=${'x'.repeat(1100)}`],
  ])('redirects to the first page if %s was requested', async wanted => {
    await newPerson();
    expect(await new Person(app).signIn(wanted)).toBe(PUBLIC);
  });

  it('reads claims from userinfo that the ID token lacks', async () => {
    provider.hidden = ['email', 'email_verified', 'groups', 'org_id'];
    const { id } = await newPerson({ groups: ['readers'] });
    const person = new Person(app);
    expect(await person.signIn()).toBe(PUBLIC);
    expect((await person.call('GET', '/v1/me')).body).toMatchObject({ role: 'auditor', user: { id } });
  });

  it('identifies the account after the email address has changed', async () => {
    const { id } = await newPerson();
    await new Person(app).signIn();
    provider.account = { ...provider.account, email: 'married@example.com', email_verified: false };
    const person = new Person(app);
    await person.signIn();
    expect((await person.call('GET', '/v1/me')).body.user.id).toBe(id);
  });

  it('is in the audit log, without tokens and codes of the provider', async () => {
    const { id, sub } = await newPerson();
    const person = new Person(app);
    await person.signIn();
    expect(await lastOf('session.created')).toMatchObject({
      ...{ actor_kind: 'jwt', actor_id: `${provider.issuer}#${sub}`, actor_name: 'Ada' },
      after: { credential: 'oidc', user_id: id },
    });
    const rows = await app.database.asOwner<{ text: string }>(
      `select (select string_agg(to_jsonb(s)::text, ' ') from governance.dashboard_sessions s) || ' ' ||
              (select string_agg(to_jsonb(a)::text, ' ') from governance.audit_log a) as text`,
    );
    const kept = [rows[0]?.text, ...person.seen].join(' ');
    expect(kept).toContain(sub);
    for (const secret of [...provider.secrets, provider.clientSecret]) expect(kept).not.toContain(secret);
  });
});

describe('an answer of an identity provider', () => {
  it.each<[string, (answer: URL) => void]>([
    ['a forged state', answer => answer.searchParams.set('state', 'x'.repeat(43))],
    ['no state', answer => answer.searchParams.delete('state')],
  ])('is refused with %s', async (_name, forge) => {
    await newPerson();
    const person = new Person(app);
    const answer = new URL(await person.answerAt(await person.begin()));
    forge(answer);
    expect(errorIn(await person.end(answer.href))).toBe('expired');
    expect(person.cookies.has('governance_session')).toBe(false);
  });

  it('is refused in another browser', async () => {
    await newPerson();
    const [person, other] = [new Person(app), new Person(app)];
    await other.begin();
    expect(errorIn(await other.end(await person.answerAt(await person.begin())))).toBe('expired');
  });

  it('is refused at the address of another provider', async () => {
    await newPerson();
    const person = new Person(app);
    const answer = await person.answerAt(await person.begin());
    expect(errorIn(await person.end(answer.replace('/oidc/acme/', '/oidc/strict/')))).toBe('expired');
  });

  it('is accepted once, even if the browser keeps its cookie', async () => {
    await newPerson();
    const person = new Person(app);
    const answer = await person.answerAt(await person.begin());
    const before = [...person.cookies];
    expect(await person.end(answer)).toBe(PUBLIC);
    person.cookies.clear();
    for (const [name, value] of before) person.cookies.set(name, value);
    const { exchanges } = provider;
    expect(errorIn(await person.end(answer))).toBe('expired');
    // The second answer does not reach the provider.
    expect(provider.exchanges).toBe(exchanges);
  });

  it('is refused if its code was used before on another replica', async () => {
    await newPerson();
    const [one, two] = [new Person(app), new Person(app)];
    const used = new URL(await one.answerAt(await one.begin())).searchParams.get('code') ?? '';
    const fresh = new URL(await two.answerAt(await two.begin()));
    fresh.searchParams.set('code', used);
    // The sign-in fails, because its PKCE verifier does not match the code of another sign-in.
    expect(errorIn(await two.end(fresh.href))).toBe('expired');
  });

  it('is refused after ten minutes', async () => {
    await newPerson();
    const person = new Person(app);
    const answer = await person.answerAt(await person.begin());
    time.advance(11 * MINUTE);
    expect(errorIn(await person.end(answer))).toBe('expired');
  });

  const past = (): number => Math.floor(time.now().getTime() / 1000) - 60;

  it.each<[string, () => Misbehavior]>([
    ['another nonce', () => ({ idToken: { nonce: 'another' } })],
    ['no nonce', () => ({ idToken: { nonce: undefined } })],
    ['another issuer', () => ({ idToken: { iss: 'https://id.example.com' } })],
    ['another audience', () => ({ idToken: { aud: 'shop' } })],
    ['an expiry a minute ago', () => ({ idToken: { exp: past() } })],
    ['a signature by another key', () => ({ forges: true })],
    ['no subject', () => ({ idToken: { sub: undefined } })],
  ])('is refused with %s in the ID token', async (_name, misbehave) => {
    await newPerson();
    const person = new Person(app);
    const answer = await person.answerAt(await person.begin());
    provider.misbehavior = misbehave();
    expect(errorIn(await person.end(answer))).toBe('invalid');
    expect(person.cookies.size).toBe(0);
    expect(errors).toHaveBeenCalledTimes(1);
  });

  it("may differ from the app's clock by the tolerance", async () => {
    await newPerson();
    provider.misbehavior = { idToken: { exp: past() + 50 } };
    expect(await new Person(app).signIn()).toBe(PUBLIC);
  });

  it('is refused with the name of another issuer beside the code', async () => {
    await newPerson();
    const person = new Person(app);
    const answer = new URL(await person.answerAt(await person.begin()));
    answer.searchParams.set('iss', 'https://id.example.com');
    expect(errorIn(await person.end(answer.href))).toBe('invalid');
  });

  it('that denies access redirects to the requested page, with the id of the request', async () => {
    const person = new Person(app);
    const { searchParams } = new URL(await person.begin('users'));
    const query = new URLSearchParams({
      error: 'access_denied',
      state: searchParams.get('state') ?? '',
      iss: provider.issuer,
    });
    const end = new URL(await person.end(`${PUBLIC}session/oidc/acme/callback?${query.toString()}`));
    expect(end.pathname).toBe('/tools/users');
    expect(errorIn(end.href)).toBe('cancelled');
    expect(end.searchParams.get('request_id')).toMatch(/^[\w-]{36}$/);
  });
});

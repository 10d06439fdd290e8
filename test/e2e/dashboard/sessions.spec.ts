import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TokenService } from '#access';
import { newUser } from '../devices/devices.support.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { Browser, builtPage, PAGE } from './dashboard.support.js';

const MINUTE = 60_000;

describe('sessions of the dashboard', () => {
  const time = new ManualClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ dashboard: { sessions: true, folder: await builtPage() }, time });
  });

  afterAll(() => app?.close());

  async function signedIn(token = app.adminToken): Promise<Browser> {
    const browser = new Browser(app);
    const answer = await browser.signIn(token);
    expect(answer.status).toBe(201);
    return browser;
  }

  it('begin with an access token and return the signed-in user', async () => {
    const browser = new Browser(app);
    const { status, body, headers } = await browser.signIn(app.adminToken);
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'token', role: 'admin', organization: { id: app.orgId, time_zone: 'UTC' } });
    expect(new Date(body.session.expires_at).getTime() - new Date(body.session.created_at).getTime()).toBe(
      720 * MINUTE,
    );
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie.split('; ').slice(1)).toEqual(['HttpOnly', 'SameSite=Strict']);
    expect((await browser.call('GET', '/v1/me')).body).toMatchObject({ session: body.session });
  });

  it.each([{ host: 'governance.example.com' }, { 'x-forwarded-proto': 'https' }])(
    'set a secure cookie if the request has %p',
    async headers => {
      // Does not use fetch(), which sets the Host header itself.
      const { request } = await import('node:http');
      const cookies = await new Promise<string[] | undefined>((resolve, reject) => {
        const sent = { ...PAGE, ...headers, 'content-type': 'application/json' };
        const ask = request(`${app.url}/session`, { method: 'POST', headers: sent }, answer => {
          answer.resume();
          resolve(answer.headers['set-cookie']);
        });
        ask.on('error', reject).end(JSON.stringify({ token: app.adminToken }));
      });
      expect(cookies?.[0]).toContain('; Secure');
    },
  );

  it('do not begin with an invalid token', async () => {
    const browser = new Browser(app);
    expect((await browser.signIn('gov_nothing')).status).toBe(401);
    expect(browser.cookie).toBeUndefined();
    expect((await browser.call('GET', '/v1/me')).status).toBe(401);
  });

  it('begin with a new secret, whatever cookie the browser had', async () => {
    const browser = new Browser(app);
    browser.cookie = `governance_session=${'x'.repeat(43)}`;
    await browser.signIn(app.adminToken);
    const first = browser.cookie;
    expect(first).not.toContain('xxxx');
    await browser.signIn(app.adminToken);
    expect(browser.cookie).not.toBe(first);
    const old = new Browser(app);
    old.cookie = first;
    expect((await old.call('GET', '/v1/me')).status).toBe(401);
  });

  it('end with the sign-out', async () => {
    const browser = await signedIn();
    const { cookie } = browser;
    expect((await browser.call('DELETE', '/session')).status).toBe(204);
    expect(browser.cookie).toBeUndefined();
    browser.cookie = cookie;
    expect((await browser.call('GET', '/v1/me')).status).toBe(401);
  });

  it('end half an hour after the last user action, and reading is none', async () => {
    const browser = await signedIn();
    time.advance(20 * MINUTE);
    expect((await browser.call('GET', '/v1/me')).status).toBe(200);
    time.advance(11 * MINUTE);
    expect((await browser.call('GET', '/v1/me')).status).toBe(401);
  });

  it('continue when a user acts, and end twelve hours after their start', async () => {
    const browser = await signedIn();
    const active = { ...PAGE, 'x-dashboard-activity': '1' };
    for (let minutes = 0; minutes < 700; minutes += 25) {
      expect((await browser.call('GET', '/v1/me', undefined, active)).status).toBe(200);
      time.advance(25 * MINUTE);
    }
    expect((await browser.call('POST', '/session/activity')).status).toBe(204);
    time.advance(20 * MINUTE);
    expect((await browser.call('GET', '/v1/me', undefined, active)).status).toBe(401);
  });

  it('are not extended by a stream', async () => {
    const browser = await signedIn();
    time.advance(20 * MINUTE);
    const headers = { ...PAGE, 'x-dashboard-activity': '1', accept: 'text/event-stream' };
    expect((await browser.call('GET', '/v1/me', undefined, headers)).status).toBe(200);
    time.advance(11 * MINUTE);
    expect((await browser.call('GET', '/v1/me')).status).toBe(401);
  });

  it.each<[string, Record<string, string>]>([
    ['no header that only the page sends', { 'sec-fetch-site': 'same-origin' }],
    ['another origin of the same site', { ...PAGE, 'sec-fetch-site': 'same-site' }],
    ['no header that names its origin', { 'x-governance-dashboard': '1' }],
    ['another site', { ...PAGE, 'sec-fetch-site': 'cross-site' }],
  ])('change nothing if a request has %s', async (_name, headers) => {
    const browser = await signedIn();
    const policy = { name: 'Forged', action: 'block' };
    expect([401, 403]).toContain((await browser.call('POST', '/v1/policies', policy, headers)).status);
    expect((await browser.call('DELETE', '/session', undefined, headers)).status).toBe(403);
    expect((await browser.call('POST', '/session', { token: app.adminToken }, headers)).status).toBe(403);
    expect((await browser.call('GET', '/v1/policies')).body.items).toEqual([]);
  });

  it('change what their credential may change when the page sends the request', async () => {
    const browser = await signedIn();
    const made = await browser.call('POST', '/v1/policies', { name: 'Made on the page', action: 'block' });
    expect(made.status).toBe(201);
    expect((await browser.call('DELETE', `/v1/policies/${made.body.id}`)).status).toBe(204);
    const auditor = await signedIn((await app.addToken('auditor')).token);
    expect((await auditor.call('POST', '/v1/policies', { name: 'No', action: 'block' })).status).toBe(403);
  });

  it('are ignored if the request has another credential', async () => {
    const browser = await signedIn();
    const headers = { ...PAGE, authorization: 'Bearer gov_nothing' };
    expect((await browser.call('GET', '/v1/me', undefined, headers)).status).toBe(401);
  });

  it('end at once when their token is revoked', async () => {
    const { record, token } = await app.app.get(TokenService).issue(app.orgId, { name: 'Revoked', role: 'auditor' });
    const browser = await signedIn(token);
    await app.call('DELETE', `/v1/tokens/${record.id}`);
    expect((await browser.call('GET', '/v1/me')).status).toBe(401);
  });

  it('are refused while their user is suspended, and ended for good after an offboarding', async () => {
    const id = await newUser(app.call);
    const { token } = await app.addToken('member', id);
    const browser = await signedIn(token);
    expect((await browser.call('GET', '/v1/me')).body.user).toMatchObject({ id });
    await app.call('POST', `/v1/users/${id}/offboard`);
    expect((await browser.call('GET', '/v1/me')).status).toBe(401);
    await app.call('POST', `/v1/users/${id}/reinstate`);
    expect((await browser.call('GET', '/v1/me')).status).toBe(401);
    expect((await browser.signIn(token)).status).toBe(401);
  });

  it('are listed for their own user, and for everybody with tokens:read', async () => {
    const id = await newUser(app.call);
    const member = await signedIn((await app.addToken('member', id)).token);
    const own = (await member.call('GET', '/v1/sessions')).body;
    expect(own.items).toMatchObject([{ user_id: id, credential: 'token', current: true, address: '127.0.0.1' }]);
    const admin = await signedIn();
    const all = (await admin.call('GET', '/v1/sessions?limit=100')).body;
    expect(all.items.filter((session: { current: boolean }) => session.current)).toHaveLength(1);
    expect(all.items).toContainEqual({ ...own.items[0], current: false });
    const stranger = await app.addOrganization();
    expect((await stranger.call('GET', '/v1/sessions')).body.items).toEqual([]);
  });

  it('are ended by their own user or with tokens:write, with an entry in the audit log', async () => {
    const id = await newUser(app.call);
    const { token } = await app.addToken('member', id);
    const [one, two] = [await signedIn(token), await signedIn(token)];
    const listed: { id: string; current: boolean }[] = (await two.call('GET', '/v1/sessions')).body.items;
    const path = `/v1/sessions/${listed.find(({ current }) => current)?.id}`;
    const other = await signedIn((await app.addToken('member', await newUser(app.call))).token);
    expect((await other.call('DELETE', path)).status).toBe(404);
    const auditor = await signedIn((await app.addToken('auditor')).token);
    expect((await auditor.call('DELETE', path)).status).toBe(403);
    expect((await one.call('DELETE', path)).status).toBe(204);
    expect((await two.call('GET', '/v1/me')).status).toBe(401);
    const [mine] = (await one.call('GET', '/v1/sessions')).body.items;
    expect((await app.call('DELETE', `/v1/sessions/${mine.id}`)).status).toBe(204);
    expect((await one.call('GET', '/v1/me')).status).toBe(401);
    const { items } = (await app.call('GET', '/v1/audit-log?limit=1')).body;
    expect(items).toMatchObject([{ action: 'session.revoked', resource_id: mine.id }]);
  });
});

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { DashboardAccess, DashboardStructure } from '#dashboard';
import { newUser } from '../devices/devices.support.js';
import { startStrippingProxy, type StrippingProxy } from '../../support/stripping-proxy.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { Browser, builtPage, PAGE } from './dashboard.support.js';

const HTML = { accept: 'text/html' };

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('the dashboard in a host on %s that signs its users in', (_name, adapter) => {
  let app: TestApp;
  let proxy: StrippingProxy;
  let userId: string | undefined;
  let access: DashboardAccess = 'all';

  beforeAll(async () => {
    const dashboard: DashboardStructure = {
      path: 'desk/dashboard',
      folder: await builtPage(),
      resolveUser: ({ headers }) =>
        headers.cookie?.includes('shop=ada') === true
          ? { orgId: app.orgId, id: 'ada', name: 'Ada', ...(userId === undefined ? {} : { userId }) }
          : null,
      resolveAccess: () => access,
    };
    app = await startTestApp({ path: 'inside/governance', dashboard, adapter: adapter() });
    proxy = await startStrippingProxy(() => app.url);
  });

  afterAll(async () => {
    proxy?.close();
    await app?.close();
  });

  const ada = (): Browser => {
    const browser = new Browser(app, '/inside/governance');
    browser.cookie = 'shop=ada';
    return browser;
  };

  it.each([
    ['/', './'],
    ['/incidents', './'],
    ['/incidents/0199c2a8', '../'],
    ['/a/b/c/d', '../../../'],
  ])('answers %s with addresses that are valid behind a proxy that strips a prefix', async (address, base) => {
    const page = '/inside/governance/desk/dashboard';
    for (const origin of [app.url, proxy.url]) {
      const answer = await fetch(`${origin}${page}${address}`, { headers: HTML });
      const html = await answer.text();
      expect([answer.status, html]).toEqual([200, expect.stringContaining(`<base href="${base}" />`)]);
      expect(html).toContain('<meta name="sign-in" content="host" />');
      const baseUrl = new URL(base, `${origin}${page}${address}`);
      const script = await fetch(new URL('./assets/index-a1b2.js', baseUrl));
      expect([script.status, script.headers.get('cache-control')]).toEqual([200, expect.stringContaining('immutable')]);
      const [, api = ''] = /<meta name="api" content="([^"]+)"/.exec(html) ?? [];
      const me = await fetch(`${new URL(api, baseUrl).href}/me`, { headers: { ...PAGE, cookie: 'shop=ada' } });
      expect([me.status, await me.json()]).toEqual([200, expect.objectContaining({ kind: 'host', name: 'Ada' })]);
    }
  });

  it('redirects from the page without a trailing slash to the one with it', async () => {
    const page = `${proxy.url}/inside/governance/desk/dashboard`;
    const answer = await fetch(page, { headers: HTML });
    expect([answer.status, answer.url]).toEqual([200, `${page}/`]);
  });

  it('has no sign-in of its own, and answers 401 to a request that the host does not authenticate', async () => {
    expect((await ada().call('POST', '/desk/dashboard/session', { token: app.adminToken })).status).toBe(404);
    const nobody = new Browser(app, '/inside/governance');
    expect((await nobody.call('GET', '/v1/me')).status).toBe(401);
    expect((await app.as(app.adminToken)('GET', '/inside/governance/v1/me')).body.kind).toBe('token');
  });

  it.each<[DashboardAccess, number, number]>([
    ['all', 200, 201],
    ['read-only', 200, 403],
    [['policies:write'], 403, 201],
    ['own', 403, 403],
    ['none', 403, 403],
  ])('lets a user with the access %p read with %i and write with %i', async (given, reading, writing) => {
    access = given;
    expect((await ada().call('GET', '/v1/policies')).status).toBe(reading);
    const policy = { name: 'From the desk', action: 'alert' };
    expect((await ada().call('POST', '/v1/policies', policy)).status).toBe(writing);
    access = 'all';
  });

  it('changes nothing if another site sends the host’s cookie', async () => {
    const policy = { name: 'Forged', action: 'alert' };
    const forged = await ada().call('POST', '/v1/policies', policy, { 'sec-fetch-site': 'same-origin' });
    expect(forged.status).toBe(403);
    const elsewhere = await ada().call('POST', '/v1/policies', policy, { ...PAGE, 'sec-fetch-site': 'cross-site' });
    expect(elsewhere.status).toBe(401);
  });

  it('refuses a user whom governance has suspended', async () => {
    const call = app.as(app.adminToken);
    const inside = (method: string, path: string, body?: unknown) => call(method, `/inside/governance${path}`, body);
    userId = await newUser(inside);
    expect((await ada().call('GET', '/v1/me')).body.user.id).toBe(userId);
    expect((await inside('POST', `/v1/users/${userId}/offboard`, {})).status).toBe(200);
    expect((await ada().call('GET', '/v1/me')).status).toBe(401);
    userId = undefined;
  });
});

describe('sessions on Fastify', () => {
  it('begin, stay valid and end as on Express', async () => {
    const dashboard = { sessions: true, folder: await builtPage() };
    const app = await startTestApp({ dashboard, adapter: new FastifyAdapter() });
    try {
      const browser = new Browser(app);
      const { status, headers } = await browser.signIn(app.adminToken);
      expect([status, headers.getSetCookie()]).toEqual([201, [expect.stringContaining('; HttpOnly; SameSite=Strict')]]);
      expect((await browser.call('GET', '/v1/me')).body.session).not.toBeNull();
      expect((await browser.call('GET', '/v1/nothing')).body.error).toBe('not_found');
      expect((await browser.call('DELETE', '/session')).status).toBe(204);
      expect((await browser.call('GET', '/v1/me')).status).toBe(401);
    } finally {
      await app.close();
    }
  });
});

describe('a dashboard without a configured sign-in', () => {
  it.each<[string, DashboardStructure]>([
    ['nothing', {}],
    ['a resolver that names the caller but not the scopes', { resolveUser: () => null }],
  ])('is not served, and one warning says so, with %s', async (_name, dashboard) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const app = await startTestApp({ dashboard });
    try {
      expect((await app.as(null)('GET', '/', undefined, HTML)).status).toBe(404);
      const warnings = warn.mock.calls.map(([text]) => String(text)).filter(text => text.includes('dashboard'));
      expect(warnings).toEqual([expect.stringContaining('resolveAccess')]);
    } finally {
      warn.mockRestore();
      await app.close();
    }
  });

  it.each<[DashboardStructure, string]>([
    [{ sessions: true, path: 'dashboard' }, 'leave `path` out'],
    [{ sessions: true, resolveUser: () => null }, 'Leave out one of the two'],
  ])('is refused at boot with %p', async (dashboard, message) => {
    await expect(startTestApp({ dashboard })).rejects.toThrow(message);
  });
});

import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startCertifiedProvider, type CertifiedProvider } from '../support/oidc/certified-provider.js';
import { startStandalone, type StandaloneProcess } from '../support/standalone-process.js';
import { startStrippingProxy, type StrippingProxy } from '../support/stripping-proxy.js';
import { accessibilityFindings, NONE, refused, startBrowser, visit, type Visit } from './support/browser.js';
import { apiOf, type Api } from './support/fill.js';
import { keyboardOf } from './support/keyboard.js';

const ADA = 'ada@example.com';
const ORGANIZATION = '0199c2a8-5d07-7a44-93be-4f8e21d06c72';

describe('a user with an account at an identity provider', () => {
  let app: StandaloneProcess | undefined;
  let proxy: StrippingProxy;
  let provider: CertifiedProvider;
  let browser: Browser;
  let api: Api;
  /** Public address of the page: on another site than the provider. */
  let root: string;
  let visitor: Visit;
  let page: Page;

  beforeAll(async () => {
    // The provider's startup hints for developers.
    for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue();
    proxy = await startStrippingProxy(() => app?.url ?? '');
    root = `${proxy.url.replace('127.0.0.1', 'localhost')}/`;
    provider = await startCertifiedProvider(root, 'acme');
    [app, browser] = await Promise.all([startStandalone(settings()), startBrowser()]);
    api = apiOf(app.url, app.token ?? '');
    await api('POST', '/v1/users', { email: ADA, name: 'Ada Lovelace' });
  });

  beforeEach(async () => {
    visitor = await visit(browser, root);
    page = visitor.page;
    // The provider's pages request a font from another machine, so this test answers such requests itself.
    const isElsewhere = ({ hostname }: URL) => hostname !== 'localhost' && hostname !== '127.0.0.1';
    await visitor.context.route(isElsewhere, route => route.fulfill({ contentType: 'text/css', body: '' }));
  });

  afterEach(() => visitor.context.close());

  afterAll(async () => {
    jest.restoreAllMocks();
    await browser?.close();
    if (app && !app.hasEnded()) await app.end('SIGTERM');
    proxy?.close();
    await provider?.close();
  });

  function settings(): Record<string, string> {
    const { issuer, clientId } = provider;
    const known = { id: 'acme', name: 'Acme ID', issuer, clientId, organizationId: ORGANIZATION };
    return {
      GOVERNANCE_ORG_ID: ORGANIZATION,
      GOVERNANCE_PUBLIC_URL: root,
      GOVERNANCE_OIDC_CLIENT_SECRET: provider.clientSecret,
      GOVERNANCE_OIDC_PROVIDERS: JSON.stringify([
        { ...known, claims: { role: 'groups' }, roles: { operators: 'admin' } },
      ]),
    };
  }

  const keyboard = keyboardOf(() => page);

  /** On the provider's pages: signs in, and consents. Uses only keys. */
  async function signInThere(email: string): Promise<void> {
    await page.locator('input[name=login]').waitFor();
    await keyboard.to(/.*/, 'input[name=login]');
    await page.keyboard.type(email);
    await keyboard.to(/.*/, 'input[name=password]');
    await page.keyboard.type('any');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /continue/i }).waitFor();
    await keyboard.press(/continue/i);
  }

  const users = () => page.getByRole('heading', { level: 1, name: 'Users' });
  /** Browser errors of our own pages, and requests to other origins than the provider's, which the link leads to. */
  const complaints = () => ({
    ...visitor.complaints,
    foreign: visitor.complaints.foreign.filter(url => new URL(url).origin !== new URL(provider.issuer).origin),
  });

  it('signs in by keyboard, is redirected to the requested page, and signs out of the dashboard and of the provider', async () => {
    await page.goto(`${root}users?q=ada`);
    const link = page.getByRole('link', { name: 'Sign in with Acme ID' });
    await link.waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keyboard.press('Sign in with Acme ID');
    await signInThere(ADA);
    await users().waitFor();
    expect(page.url()).toBe(`${root}users?q=ada`);
    const { items } = await api('GET', '/v1/sessions?limit=1');
    expect(items).toMatchObject([{ credential: 'oidc', user_email: ADA }]);
    expect(complaints()).toEqual(NONE);

    await keyboard.press(/^Signed in as/);
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    // The last entry of the menu.
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /yes/i }).waitFor();
    await keyboard.press(/^yes/i);
    await page.getByRole('link', { name: 'Sign in with Acme ID' }).waitFor();
    expect(page.url()).toBe(root);
  });

  it('sees why the sign-in was refused, with the id of the request and a link back', async () => {
    await page.goto(`${root}users`);
    await page.getByRole('link', { name: 'Sign in with Acme ID' }).click();
    await signInThere('stranger@example.com');
    const alert = page.getByRole('alert');
    await alert.getByText('not a user here').waitFor();
    await alert.getByText(/^Request/).waitFor();
    expect(page.url()).toBe(`${root}users`);
    expect(await page.getByRole('link', { name: 'Sign in with Acme ID' }).count()).toBe(1);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints()).toEqual({ ...NONE, console: [refused(401)] });
  });

  it('signs in again in another tab after a revocation, and keeps the entered text', async () => {
    await page.goto(`${root}policies/new`);
    await page.getByRole('link', { name: 'Sign in with Acme ID' }).click();
    await signInThere(ADA);
    await page.getByLabel('Name', { exact: true }).fill('A long thought');
    const { items } = await api('GET', '/v1/sessions?limit=1');
    const [{ id }] = items as [{ id: string }];
    await api('DELETE', `/v1/sessions/${id}`);
    await page
      .getByRole('button', { name: /Create|Save/ })
      .last()
      .click();
    await page.getByText('Your session has ended').waitFor();
    const [tab] = await Promise.all([
      visitor.context.waitForEvent('page'),
      page.getByRole('link', { name: /Sign in with Acme ID/ }).click(),
    ]);
    await tab.getByLabel('Name', { exact: true }).waitFor();
    await tab.close();
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('A long thought');
  });

  it('sees the sign-in by token while the provider is unavailable', async () => {
    await provider.close();
    await page.goto(`${root}users`);
    await page.getByLabel('Access token').fill(app?.token ?? '');
    await page.getByRole('button', { name: 'Sign in with token' }).click();
    await users().waitFor();
  });
});

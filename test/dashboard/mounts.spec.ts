import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Browser } from 'playwright-core';
import { startStrippingProxy, type StrippingProxy } from '../support/stripping-proxy.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { NONE, startBrowser, visit } from './support/browser.js';

const MOUNT = 'inside/governance/desk/dashboard';

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('the built page in a host on %s', (_name, adapter) => {
  let app: TestApp;
  let proxy: StrippingProxy;
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
    app = await startTestApp({
      path: 'inside/governance',
      adapter: adapter(),
      dashboard: {
        path: 'desk/dashboard',
        resolveUser: ({ headers }) =>
          headers.cookie?.includes('shop=ada') === true ? { orgId: app.orgId, id: 'ada', name: 'Ada' } : null,
        resolveAccess: () => 'all',
      },
    });
    proxy = await startStrippingProxy(() => app.url);
    await app.call('POST', '/inside/governance/v1/policies', {
      name: 'Never export',
      action: 'block',
      model: 'export-*',
    });
  });

  afterAll(async () => {
    await browser?.close();
    proxy?.close();
    await app?.close();
  });

  it.each([
    ['at a deep prefix', () => app.url],
    ['behind a proxy that strips a prefix', () => proxy.url],
  ])(
    'opens every page, follows deep links, and changes a record %s, without browser errors',
    async (_place, origin) => {
      const root = `${origin()}/${MOUNT}/`;
      const { page, context, complaints } = await visit(browser, root);
      await context.addCookies([{ name: 'shop', value: 'ada', url: origin() }]);
      await page.goto(root);
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      const titles = await links.allInnerTexts();
      expect(titles).toEqual(expect.arrayContaining(['Usage', 'Incidents', 'Webhooks', 'Integrations', 'Settings']));
      for (const title of titles) {
        await links.getByText(title, { exact: true }).click();
        await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
        await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
      }
      await page.getByRole('link', { name: 'Policies' }).click();
      await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
      await page.getByRole('link', { name: 'Never export' }).click();
      await page.getByRole('heading', { name: 'History' }).waitFor();
      expect(page.url()).toMatch(/\/desk\/dashboard\/policies\/[0-9a-f-]{36}$/);
      await page.reload();
      await page.getByRole('button', { name: /^(Disable|Enable)…/ }).click();
      await page.getByRole('button', { name: /^(Disable|Enable)$/ }).click();
      await page
        .getByText(/^[23] (?:Disabled|Enabled)/)
        .or(page.getByRole('button', { name: /^[23] (?:Disabled|Enabled)/ }))
        .first()
        .waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
      expect(complaints).toEqual(NONE);
      await context.close();
    },
  );
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startStandalone, type StandaloneProcess } from '../support/standalone-process.js';
import { accessibilityFindings, NONE, signIn, startBrowser, visit, type Visit } from './support/browser.js';
import { apiOf, fill } from './support/fill.js';
import { PAGES } from './support/pages.js';

describe('every page of the dashboard', () => {
  let app: StandaloneProcess;
  let browser: Browser;
  const visits = new Map<string, Visit>();

  beforeAll(async () => {
    [app, browser] = await Promise.all([startStandalone({}), startBrowser()]);
    await fill(apiOf(app.url, app.token!));
    for (const theme of ['light', 'dark'] as const)
      for (const width of [1440, 320]) {
        const each = await visit(browser, app.url, { theme, width, height: width === 320 ? 720 : 900 });
        await signIn(each, app.token!);
        visits.set(`${theme} ${width}`, each);
      }
  });

  afterAll(async () => {
    await browser?.close();
    if (app && !app.hasEnded()) await app.end('SIGTERM');
  });

  const looks = ['light 1440', 'dark 1440', 'light 320', 'dark 320'];
  const sights = PAGES.flatMap(({ name, path, shows }) => looks.map(look => ({ name, path, shows, look })));

  it.each(sights)(
    '$name in $look has no accessibility fault, no complaint and no overflow',
    async ({ path, shows, look }) => {
      const { page, complaints } = visits.get(look)!;
      await page.goto(`./${path}`);
      await page.getByText(shows).first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(complaints).toEqual(NONE);
      // Nothing makes the page wider than the window: at 320 px as at a zoom of 400 %.
      const width = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(width).toBe(0);
    },
  );
});

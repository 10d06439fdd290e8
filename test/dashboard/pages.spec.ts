import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startStandalone, type StandaloneProcess } from '../support/standalone-process.js';
import { accessibilityFindings, NONE, signIn, startBrowser, visit, type Visit } from './support/browser.js';
import { apiOf, fill, fillHostile } from './support/fill.js';
import { PAGES } from './support/pages.js';

/** All rules in both themes at every width, instead of only those that depend on theme and width. */
const isFull = process.env['FULL'] === '1';

/** The only rule whose result depends on the theme. */
const COLORS = ['color-contrast'];

/** By how much the document is wider than the window. The document must never scroll sideways. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/**
 * Names of controls that are outside of the window and cannot be reached by scrolling. Table cells cut off their links.
 */
const OUT_OF_REACH = `[...document.querySelectorAll('a, button, input, select, textarea')]
  .filter(each => each.checkVisibility() && !each.closest('.sr-only, [aria-hidden], td'))
  .filter(each => {
    const { left, right, width } = each.getBoundingClientRect();
    return width > 0 && (left < -1 || right > innerWidth + 1);
  })
  .map(each => each.getAttribute('aria-label') ?? each.textContent)`;

describe('every page of the dashboard', () => {
  let app: StandaloneProcess;
  let browser: Browser;
  const visits = new Map<number, Visit>();

  beforeAll(async () => {
    [app, browser] = await Promise.all([startStandalone({}), startBrowser()]);
    const api = apiOf(app.url, app.token!);
    await fill(api);
    await fillHostile(api);
    for (const width of [1440, 320]) {
      const each = await visit(browser, app.url, { width, height: width === 320 ? 720 : 900 });
      await signIn(each, app.token!);
      visits.set(width, each);
    }
  });

  afterAll(async () => {
    await browser?.close();
    if (app && !app.hasEnded()) await app.end('SIGTERM');
  });

  /** Controls outside of the window, and elements whose tag comes from a name. */
  async function faultsOf(page: Page): Promise<unknown> {
    // A pop-up is positioned again when the theme changes, and is not yet at its place in that frame.
    let overflow = await page.evaluate<number>(OVERFLOW);
    for (let tries = 0; overflow > 0 && tries < 40; tries++) {
      await delay(50);
      overflow = await page.evaluate<number>(OVERFLOW);
    }
    return {
      overflow,
      outOfReach: await page.evaluate<string[]>(OUT_OF_REACH),
      interpreted: await page.locator('[data-hostile]').count(),
    };
  }

  const FITS = { overflow: 0, outOfReach: [], interpreted: 0 };

  // At 320 px as at a zoom of 400 %, and at 720 px as at a zoom of 200 %.
  it.each(PAGES.flatMap(sight => [1440, 320].map(width => ({ sight, width }))))(
    '$sight.name at $width px has no accessibility error, no browser error and no unreachable control in both themes',
    async ({ sight: { path, open, shows }, width }) => {
      const { page, complaints } = visits.get(width)!;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`./${path}`);
      await open?.(page);
      await page.getByText(shows).filter({ visible: true }).first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      if (isFull || width === 1440 || !open) expect(await accessibilityFindings(page)).toEqual([]);
      if (isFull || width === 1440) {
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html[data-theme=dark]').waitFor();
        expect(await accessibilityFindings(page, isFull ? undefined : COLORS)).toEqual([]);
      }
      expect(await faultsOf(page)).toEqual(FITS);
      if (width === 1440) {
        await page.setViewportSize({ width: 720, height: 450 });
        expect(await faultsOf(page)).toEqual(FITS);
        await page.setViewportSize({ width, height: 900 });
      }
      expect(complaints).toEqual(NONE);
    },
  );
});

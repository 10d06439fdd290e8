import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startStandalone, type StandaloneProcess } from '../support/standalone-process.js';
import { accessibilityFindings, NONE, signIn, startBrowser, visit, type Visit } from './support/browser.js';
import { apiOf, fill, fillHostile } from './support/fill.js';
import { PAGES } from './support/pages.js';

/**
 * If set, checks all rules in both themes at every width. Otherwise a rule is repeated only if its result depends on
 * theme or width.
 */
const isFull = process.env['FULL'] === '1';

/** The only rule whose result depends on the theme. */
const COLORS = ['color-contrast'];

/** The rules whose result depends on the width: other controls are visible, and regions scroll. */
const LAYOUT = [
  'target-size',
  'color-contrast',
  'button-name',
  'link-name',
  'aria-hidden-focus',
  'scrollable-region-focusable',
];

/** The number of pixels by which the document is wider than the window. It must never scroll sideways. */
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

  /** Finds controls outside of the window, and elements that markup in a name has created. */
  async function faultsOf(page: Page): Promise<unknown> {
    // When the theme changes, a pop-up is positioned again. For one frame it may lie outside of the window.
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

  // 320 px correspond to a zoom of 400 %, and 720 px to a zoom of 200 %.
  it.each(PAGES.flatMap(sight => [1440, 320].map(width => ({ sight, width }))))(
    '$sight.name at $width px has no accessibility error, no browser error and no unreachable control',
    async ({ sight: { path, open, shows }, width }) => {
      const { page, complaints } = visits.get(width)!;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`./${path}`);
      await open?.(page);
      await page.getByText(shows).filter({ visible: true }).first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      const isWide = width === 1440;
      if (isFull || isWide || !open) {
        expect(await accessibilityFindings(page, isFull || isWide ? undefined : LAYOUT)).toEqual([]);
      }
      if (isFull || isWide) {
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html[data-theme=dark]').waitFor();
        expect(await accessibilityFindings(page, isFull ? undefined : COLORS)).toEqual([]);
      }
      expect(await faultsOf(page)).toEqual(FITS);
      if (isWide) {
        await page.setViewportSize({ width: 720, height: 450 });
        expect(await faultsOf(page)).toEqual(FITS);
        await page.setViewportSize({ width, height: 900 });
      }
      expect(complaints).toEqual(NONE);
    },
  );
});

// Takes screenshots of the dashboard of a demo: every page, sheet, form and dialog, in both themes, wide and narrow.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { startStandalone } from '../../support/standalone-process.js';
import { startBrowser, visit, type Visit } from '../support/browser.js';
import { apiOf } from '../support/fill.js';
import { VIEWS, type View } from './views.js';
import { setStage } from './stage.js';

const PHOTOS = join(import.meta.dirname, '..', '..', '..', 'photos');
const WIDTHS = { 1440: 900, 390: 844 };

/** Titles that the dashboard shows if a page or a part of it could not be loaded or displayed. */
const FAILURES = /^(?:Something went wrong|Reload the dashboard|Failed to load)/;

/** The demo finds unusual usage some minutes after its start. */
const ANOMALY_WAIT_MS = 600_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { origin: { type: 'string' }, token: { type: 'string' }, look: { type: 'string' } },
});
const { origin = '', token = '' } = values;
const api = apiOf(`${origin}/v1`, token);

/** A token of the user with the highest spending: the demo's member. */
async function memberToken(): Promise<string> {
  const { items } = await api('GET', '/users?q=mila.kaya&limit=1');
  const [user] = items as [{ id: string }];
  const made = await api('POST', '/tokens', { name: 'Photos, member', role: 'member', user_id: user.id });
  return String(made['token']);
}

async function signIn({ page }: Visit, secret: string): Promise<void> {
  await page.goto('./devices');
  await page.getByLabel('Access token').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
}

async function photograph(
  { page }: Visit,
  { path, name, open, isPointed }: View,
  look: string,
): Promise<string | undefined> {
  try {
    await page.goto(`./${path}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // A loaded part may add further parts, which then load.
    const settle = async (): Promise<void> => {
      for (let rounds = 0; rounds < 2; rounds++) {
        await page.waitForTimeout(250);
        await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      }
    };
    await settle();
    if (open) {
      await open(page);
      // A pointer over a row would change its color.
      if (isPointed !== true) await page.mouse.move(0, 0);
      await settle();
    }
    const over = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    await page.screenshot({
      path: join(PHOTOS, `${name}-${look}.png`),
      fullPage: !open && !/new$|rerate$|import$/.test(path),
    });
    const failures = await page.getByText(FAILURES).filter({ visible: true }).allTextContents();
    if (failures.length > 0) return `${name} ${look}: shows "${failures.join('", "')}"`;
    return over === 0 ? undefined : `${name} ${look}: ${over} px wider than the window`;
  } catch (error) {
    await page.screenshot({ path: join(PHOTOS, `${name}-${look}.png`) });
    return `${name} ${look}: ${String(error).split('\n')[0]}`;
  }
}

/** Waits for an incident of unusual usage. If none appears in time, its screenshot fails. */
async function waitForAnomaly(): Promise<void> {
  for (const end = Date.now() + ANOMALY_WAIT_MS; Date.now() < end; await delay(2000)) {
    const { items } = await api('GET', '/incidents?type=anomaly&limit=1');
    if ((items as unknown[]).length > 0) return;
  }
}

async function photographAll(browser: Browser): Promise<string[]> {
  const fresh = await startStandalone({});
  const tokens = { admin: token, member: await memberToken(), nobody: undefined, newcomer: fresh.token };
  const wanted = VIEWS.filter(({ name }) => positionals.length === 0 || positionals.some(part => name.includes(part)));
  if (wanted.some(({ isOfAnomaly }) => isOfAnomaly)) await waitForAnomaly();
  const faults: string[] = [];
  for (const theme of ['light', 'dark'] as const) {
    for (const [width, height] of Object.entries(WIDTHS)) {
      const look = `${theme}-${width}`;
      if (values.look !== undefined && !look.startsWith(values.look)) continue;
      for (const by of ['nobody', 'newcomer', 'admin', 'member'] as const) {
        const views = wanted.filter(view => (view.by ?? 'admin') === by);
        if (views.length === 0) continue;
        const each = await visit(browser, by === 'newcomer' ? fresh.url : origin, {
          theme,
          width: Number(width),
          height,
        });
        each.page.setDefaultTimeout(20_000);
        const secret = tokens[by];
        if (secret !== undefined) await signIn(each, secret);
        for (const view of views)
          faults.push(...[await photograph(each, view, look)].filter(fault => fault !== undefined));
        const { policy, foreign, errors } = each.complaints;
        faults.push(...[...policy, ...foreign, ...errors].map(complaint => `${by} ${look}: ${complaint}`));
        await each.context.close();
      }
    }
  }
  await fresh.end('SIGTERM');
  return faults;
}

mkdirSync(PHOTOS, { recursive: true });
const browser = await startBrowser();
await setStage(api);
const faults = await photographAll(browser);
await browser.close();
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startStandalone, type StandaloneProcess } from '../support/standalone-process.js';
import { accessibilityFindings, NONE, signIn, startBrowser, visit, type Visit } from './support/browser.js';
import { apiOf, fill, type Api } from './support/fill.js';

describe('an operator', () => {
  let app: StandaloneProcess;
  let api: Api;
  let browser: Browser;
  let visitor: Visit;
  let page: Page;

  beforeAll(async () => {
    [app, browser] = await Promise.all([startStandalone({}), startBrowser()]);
    api = apiOf(app.url, app.token!);
    await fill(api);
  });

  beforeEach(async () => {
    visitor = await visit(browser, app.url);
    page = visitor.page;
    await signIn(visitor, app.token!);
  });

  afterEach(() => visitor.context.close());

  afterAll(async () => {
    await browser?.close();
    if (app && !app.hasEnded()) await app.end('SIGTERM');
  });

  const sheet = () => page.getByRole('dialog').last();
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  it('resolves an incident by keyboard only, and comes back to its row', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    const row = page.getByRole('link', { name: 'Never export' });
    await row.waitFor();
    for (
      let key = 0;
      key < 8 &&
      !(await row.evaluate('this === document.activeElement || document.activeElement.textContent === "Never export"'));
      key += 1
    )
      await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await sheet().getByText('Timeline').waitFor();
    await button('Acknowledge').focus();
    await page.keyboard.press('Enter');
    await sheet().getByText('Marked acknowledged').waitFor();
    await button('Resolve…').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Resolution').focus();
    await page.keyboard.type('Talked to Dana.');
    await button('Resolve').last().focus();
    await page.keyboard.press('Enter');
    await sheet().getByText('Marked resolved').waitFor();
    await sheet().getByText('Talked to Dana.').first().waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(url => url.pathname === '/incidents');
    expect(visitor.complaints).toEqual(NONE);
  });

  it('offboards a person, sees what has stopped, and reinstates them', async () => {
    await page.goto('./users');
    await page.getByRole('link', { name: 'Grace Lindqvist' }).click();
    await sheet().getByText('Effects of offboarding').waitFor();
    await button('Offboard…').click();
    await page.getByLabel('Reason').fill('End of contract');
    await button('Offboard').last().click();
    await sheet().getByText('Access revoked').waitFor();
    await sheet().getByText('End of contract').waitFor();
    const stopped = await api('GET', '/v1/users?status=suspended');
    expect(stopped['items']).toEqual([expect.objectContaining({ name: 'Grace Lindqvist' })]);
    await button('Reinstate').click();
    await sheet().getByText('Effects of offboarding').waitFor();
    expect(visitor.complaints).toEqual(NONE);
  });

  it('approves a request with a reason', async () => {
    await page.goto('./approvals');
    await page.getByRole('link', { name: 'person-5@example.com' }).click();
    await button('Approve…').click();
    await page.getByLabel('Reason').fill('For the trial');
    await button('Approve').last().click();
    await sheet().getByText('Approved').waitFor();
    const { items } = await api('GET', '/v1/approvals?status=approved');
    expect(items).toEqual([expect.objectContaining({ user_email: 'person-5@example.com', reason: 'For the trial' })]);
    expect(visitor.complaints).toEqual(NONE);
  });

  it('signs in again in place after a revocation, and keeps what was typed', async () => {
    await page.goto('./incidents?status=all');
    await page.getByRole('link', { name: 'Watch the large model' }).click();
    await button('Note…').click();
    await page.getByLabel('Note', { exact: true }).fill('A long thought');
    const { items } = await api('GET', '/v1/sessions?limit=1');
    const [{ id }] = items as [{ id: string }];
    await api('DELETE', `/v1/sessions/${id}`);
    await button('Add note').click();
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Access token').fill(app.token!);
    await button('Sign in').last().click();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Note', { exact: true }).inputValue()).toBe('A long thought');
    await button('Add note').click();
    await sheet().getByText('A long thought').waitFor();
    expect({ ...visitor.complaints, console: [] }).toEqual(NONE);
  });

  it('is told what is wrong with a token, and stays outside', async () => {
    const other = await visit(browser, app.url);
    await other.page.goto('./users');
    await other.page.getByLabel('Access token').fill('gov_nonsense');
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByRole('alert').first().waitFor();
    expect(await other.page.getByRole('navigation').count()).toBe(0);
    await other.context.close();
  });

  it('finds a page in the palette, and the keys in the help', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('deci');
    await page.getByRole('option', { name: /Decisions/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Decisions' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next and previous row').waitFor();
    expect(visitor.complaints).toEqual(NONE);
  });

  it('sees an incident that is raised meanwhile, on a press', async () => {
    await page.goto('./incidents');
    await page
      .getByRole('link', { name: 'Never export' })
      .or(page.getByText('Watch the large model'))
      .first()
      .waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const before = await page.locator('tbody tr').count();
    const { items } = await api('GET', '/v1/users?limit=20');
    const jonas = (items as { id: string; name: string }[]).find(({ name }) => name === 'Jonas Weber');
    await api('POST', '/v1/decisions', { user_id: jonas?.id, provider: 'openai', model: 'export-live' });
    await button(/change.* – view/).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(before);
    await button(/change.* – view/).click();
    await page.getByText('export-live').waitFor();
    expect(visitor.complaints).toEqual(NONE);
  });

  it('saves the usage that is shown as the bytes that the API answers', async () => {
    await page.goto('./usage?range=30d&by=department');
    await page.getByText('Breakdown').waitFor();
    const asked = page.waitForRequest(request => request.headers()['accept'] === 'text/csv');
    const saved = page.waitForEvent('download');
    await button('CSV').click();
    const address = (await asked).url();
    const file = readFileSync(await (await saved).path());
    const answer = await fetch(address, { headers: { authorization: `Bearer ${app.token}`, accept: 'text/csv' } });
    expect(file.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect(file.length).toBeGreaterThan(100);
  });

  it('without the scopes of an operator sees own usage, budgets and requests, and no page of others', async () => {
    const { items } = await api('GET', '/v1/users?limit=20');
    const emre = (items as { id: string; name: string }[]).find(({ name }) => name === 'Emre Aydın');
    await api('POST', '/v1/budgets', {
      ...{ name: 'A share for each', scope: 'organization', split_by: 'user', period: 'yearly' },
      ...{ amount_usd: 50, enforcement: 'notify' },
    });
    const { token } = await api('POST', '/v1/tokens', { name: 'Emre', role: 'member', user_id: emre?.id });
    const other = await visit(browser, app.url);
    await other.page.goto('./');
    await other.page.getByLabel('Access token').fill(String(token));
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByRole('heading', { level: 1, name: 'My usage' }).waitFor();
    await other.page.getByText('A share for each').first().waitFor();
    await other.page.getByRole('img', { name: /My spending by model/ }).waitFor();
    await other.page.getByRole('heading', { name: 'Access requests' }).waitFor();
    expect(await other.page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
      ...['My usage', 'Incidents', 'Approvals', 'Usage', 'Devices'],
    ]);
    expect(await accessibilityFindings(other.page)).toEqual([]);
    expect(other.complaints).toEqual(NONE);
    await other.context.close();
  });

  it('reads names with markup as text', async () => {
    await page.goto('./users');
    await page.getByText('<b>Kim</b> "Quote" & Co').waitFor();
    expect(await page.locator('table b').count()).toBe(0);
  });
});

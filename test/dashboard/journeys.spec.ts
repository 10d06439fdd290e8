import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  accessibilityFindings,
  distinct,
  findingsInBothThemes,
  NONE,
  refused,
  signIn,
  visit,
} from './support/browser.js';
import { openDesk } from './support/desk.js';
import { apiOf, fill } from './support/fill.js';
import { keyboardOf } from './support/keyboard.js';

describe('an operator', () => {
  const desk = openDesk({ fill });
  const { sheet, button } = desk;
  const keyboard = keyboardOf(() => desk.page);

  it('resolves an incident by keyboard only, and returns to the list', async () => {
    await desk.page.goto('./users');
    await desk.page.getByRole('link', { name: 'Ada Marsh' }).waitFor();
    await keyboard.go('i', 'Incidents');
    await keyboard.open('Never export');
    await sheet().getByText('Timeline').waitFor();
    await keyboard.press('Acknowledge');
    await sheet().getByText('Marked acknowledged').waitFor();
    await keyboard.press('Resolve…');
    await keyboard.type('Resolution', 'Talked to Dana.');
    await keyboard.press('Resolve');
    await sheet().getByText('Marked resolved').waitFor();
    await sheet().getByText('Talked to Dana.').first().waitFor();
    await desk.page.keyboard.press('Escape');
    await desk.page.waitForURL(url => url.pathname === '/incidents');
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('offboards a user, sees what has stopped, and reinstates the user', async () => {
    const { items: people } = await desk.api('GET', '/v1/users?q=Grace');
    const [grace] = people as { id: string }[];
    const own = await desk.api('POST', '/v1/tokens', { name: 'Grace', role: 'admin', user_id: grace?.id });
    const asGrace = apiOf(desk.app.url, String(own['token']));
    await asGrace('POST', '/v1/tokens', { name: 'Nightly job', role: 'agent' });
    await desk.page.goto('./users');
    await desk.page.getByRole('link', { name: 'Grace Lindqvist' }).click();
    await sheet().getByText('Pending approvals and grants').waitFor();
    await button('Offboard…').click();
    const dialog = desk.page.getByRole('alertdialog');
    await dialog.getByText('Pending approvals and grants').waitFor();
    await dialog.getByText('1, valid until revoked or expired').waitFor();
    await dialog.getByLabel('Access ends on').fill('2031-02-03');
    await dialog.getByText('Mon, Feb 3, 2031').waitFor();
    await dialog.getByLabel('Access ends on').fill('');
    await dialog.getByText('Mon, Feb 3, 2031').waitFor({ state: 'detached' });
    await desk.page.getByLabel('Reason').fill('End of contract');
    await button('Offboard').last().click();
    await sheet().getByText('Access revoked').waitFor();
    await sheet().getByText('End of contract').waitFor();
    const fact = (name: string) =>
      sheet()
        .locator('dl > div')
        .filter({ hasText: new RegExp(`^${name}`) });
    await fact('Since').locator('time').waitFor();
    await fact('Calls to models').getByText('Blocked', { exact: true }).waitFor();
    const stopped = await desk.api('GET', '/v1/users?status=suspended');
    expect(stopped['items']).toEqual([expect.objectContaining({ name: 'Grace Lindqvist' })]);
    await button('Reinstate').click();
    await sheet().getByRole('heading', { name: 'Access', exact: true }).waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('approves a request with a reason', async () => {
    await desk.page.goto('./approvals');
    await desk.page.getByRole('link', { name: 'person-5@example.com' }).click();
    await button('Approve…').click();
    await desk.page.getByLabel('Reason').fill('For the trial');
    await button('Approve').last().click();
    await sheet().getByText('Approved').waitFor();
    const { items } = await desk.api('GET', '/v1/approvals?status=approved');
    expect(items).toEqual([expect.objectContaining({ user_email: 'person-5@example.com', reason: 'For the trial' })]);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('signs in again in place after a revocation, and keeps the entered text', async () => {
    // A separate session, because later tests still need the shared session.
    const away = await visit(desk.browser, desk.app.url);
    const { page } = away;
    await signIn(away, desk.app.token ?? '');
    await page.goto('./incidents?status=all');
    await page.getByRole('link', { name: 'Watch the large model' }).click();
    await page.getByRole('button', { name: 'Note…' }).click();
    await page.getByLabel('Note', { exact: true }).fill('A long thought');
    const { items } = await desk.api('GET', '/v1/sessions?limit=1');
    const [{ id }] = items as [{ id: string }];
    await desk.api('DELETE', `/v1/sessions/${id}`);
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Access token').fill(desk.app.token ?? '');
    await page.getByRole('button', { name: 'Sign in' }).last().click();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Note', { exact: true }).inputValue()).toBe('A long thought');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('dialog').last().getByText('A long thought').waitFor();
    expect(distinct(away.complaints)).toEqual({ ...NONE, console: [refused(401)] });
    await away.context.close();
  });

  it('is warned before an idle session ends, sees its end, and signs in again at the same address', async () => {
    const away = await visit(desk.browser, desk.app.url);
    await signIn(away, desk.app.token ?? '');
    const { page } = away;
    await page.clock.install();
    await page.goto('./audit?range=30d');
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    const dialog = page.getByRole('dialog');
    await page.clock.fastForward('28:30');
    await dialog.getByText('Are you still there?').waitFor();
    expect(await findingsInBothThemes(page)).toEqual([]);
    // A key press is input, so it extends the session and restarts the idle time.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.clock.fastForward('28:30');
    await dialog.getByText('Are you still there?').waitFor();
    const { items } = await desk.api('GET', '/v1/sessions?limit=1');
    const [{ id }] = items as [{ id: string }];
    await desk.api('DELETE', `/v1/sessions/${id}`);
    await page.clock.fastForward('02:00');
    await dialog.getByText('Your session has ended').waitFor();
    // Input after the end of the session does not hide the message.
    await page.keyboard.press('Escape');
    await page.clock.fastForward('01:30:00');
    await dialog.getByText('Your session has ended').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await dialog.getByLabel('Access token').fill(desk.app.token ?? '');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?range=30d');
    expect(distinct(away.complaints)).toEqual({ ...NONE, console: [refused(401)] });
    await away.context.close();
  });

  it('sees the error of a wrong token, and is not signed in', async () => {
    const other = await visit(desk.browser, desk.app.url);
    await other.page.goto('./users');
    await other.page.getByLabel('Access token').fill('gov_nonsense');
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByRole('alert').first().waitFor();
    expect(await other.page.getByRole('navigation').count()).toBe(0);
    await other.context.close();
  });

  it('finds a page in the palette, and the keyboard shortcuts in the help', async () => {
    await desk.page.goto('./users');
    await desk.page.getByRole('link', { name: 'Ada Marsh' }).waitFor();
    await desk.page.keyboard.press('Control+k');
    await desk.page.keyboard.type('deci');
    await desk.page.getByRole('option', { name: /Decisions/ }).waitFor();
    await desk.page.keyboard.press('Enter');
    await desk.page.getByRole('heading', { level: 1, name: 'Decisions' }).waitFor();
    await desk.page.keyboard.press('Control+k');
    await desk.page.keyboard.type('before o3');
    await desk.page.getByRole('option', { name: /^Ask before o3.*Require approval$/ }).waitFor();
    await desk.page.keyboard.press('Escape');
    await desk.page.keyboard.press('?');
    await desk.page.getByRole('dialog').getByText('Next and previous row').waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('sees a new incident after a press on the notice', async () => {
    await desk.page.goto('./incidents');
    await desk.page
      .getByRole('link', { name: 'Never export' })
      .or(desk.page.getByText('Watch the large model'))
      .first()
      .waitFor();
    await desk.page.getByText('Live', { exact: true }).waitFor();
    const before = await desk.page.locator('tbody tr').count();
    const { items } = await desk.api('GET', '/v1/users?limit=20');
    const jonas = (items as { id: string; name: string }[]).find(({ name }) => name === 'Jonas Weber');
    await desk.api('POST', '/v1/decisions', { user_id: jonas?.id, provider: 'openai', model: 'export-live' });
    await button(/change.* – view/).waitFor();
    expect(await desk.page.locator('tbody tr').count()).toBe(before);
    await button(/change.* – view/).click();
    await desk.page.getByText('export-live').waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('sees incidents of one policy as one row of the overview, which links to their list', async () => {
    await desk.page.goto('./overview');
    const row = desk.page.getByRole('listitem').filter({ hasText: 'No preview models' });
    await row.getByText(/^2 incidents · person-\d@example\.com and 1 other$/).waitFor();
    expect(await row.count()).toBe(1);
    await row.getByTitle(/^person-\d@example\.com$/).waitFor();
    await desk.page.getByRole('link', { name: /^All \d+ open incidents$/ }).waitFor();
    await desk.page
      .getByText(/^Forecast |^No forecast yet$|^Exceeded$/)
      .first()
      .waitFor();
    await desk.page.getByRole('columnheader').first().waitFor();
    expect(await desk.page.getByRole('columnheader').allTextContents()).toEqual(['User', 'Change', 'Spend now']);
    await row.getByRole('link').click();
    await desk.page.waitForURL(/incidents\?.*policy_id=/);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('opens a row of usage, filters by a user, and finds and sorts rows', async () => {
    const row = (name: string) => desk.page.getByRole('row', { name });
    await desk.page.goto('./usage?range=30d');
    // Presses a figure instead of the link, because a press anywhere in the row must open it.
    await row('gpt-4o-mini').getByRole('cell').first().click();
    await desk.page.getByRole('columnheader', { name: 'User' }).waitFor();
    expect(Object.fromEntries(new URL(desk.page.url()).searchParams)).toMatchObject({
      model: 'gpt-4o-mini',
      by: 'user',
    });
    await button('Clear filters').click();
    await desk.page.getByLabel('Find user').fill('person-1');
    await row('person-2@').waitFor({ state: 'detached' });
    // The default order is marked, and the first press on its header reverses it.
    const total = desk.page.getByRole('columnheader', { name: 'Total' });
    expect(await total.getAttribute('aria-sort')).toBe('descending');
    const names = desk.page.getByRole('rowheader');
    const before = await names.allTextContents();
    await button('Total').click();
    await desk.page.locator('th[aria-sort=ascending]').filter({ hasText: 'Total' }).waitFor();
    expect(await names.allTextContents()).toEqual([...before.slice(0, -1).reverse(), 'Total']);
    await button('User').click();
    await desk.page.waitForURL(/sort=-name/);
    await desk.page.getByRole('rowheader').first().filter({ hasText: 'person-12@' }).waitFor();
    expect(await desk.page.getByRole('rowheader').allTextContents()).toEqual([
      ...['person-12@example.com', 'person-11@example.com', 'person-10@example.com', 'person-1@example.com', 'Total'],
    ]);
    await desk.page.getByRole('combobox', { name: 'User' }).fill('bruno');
    await desk.page.locator('datalist option').first().waitFor({ state: 'attached' });
    await desk.page.keyboard.press('Enter');
    await desk.page.getByRole('link', { name: 'Bruno Keller' }).waitFor();
    await desk.page.waitForURL(/user_id=/);
    expect(await accessibilityFindings(desk.page)).toEqual([]);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('shows no usage under the name of another grouping while an answer is awaited', async () => {
    const breakdown = desk.page.getByRole('table', { name: 'Breakdown' });
    await desk.page.goto('./usage?range=30d');
    await breakdown.getByRole('columnheader', { name: 'Model' }).waitFor();
    const held: (() => void)[] = [];
    await desk.page.route(/usage\/series\?.*group_by=user/, async route => {
      await new Promise<void>(release => held.push(release));
      await route.continue();
    });
    await desk.page.getByText('By user', { exact: true }).click();
    await desk.page.getByLabel('Loading usage').waitFor();
    expect(await breakdown.count()).toBe(0);
    while (held.length > 0) held.pop()?.();
    await breakdown.getByRole('columnheader', { name: 'User' }).waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('downloads the displayed usage with the exact bytes of the API', async () => {
    await desk.page.goto('./usage?range=30d&by=department');
    await desk.page.getByText('Breakdown').waitFor();
    const asked = desk.page.waitForRequest(request => request.headers()['accept'] === 'text/csv');
    const saved = desk.page.waitForEvent('download');
    await button('CSV').click();
    const address = (await asked).url();
    const file = readFileSync(await (await saved).path());
    const answer = await fetch(address, { headers: { authorization: `Bearer ${desk.app.token}`, accept: 'text/csv' } });
    expect(file.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect(file.length).toBeGreaterThan(100);
  });

  it("sees only the own usage, budgets and requests without an operator's scopes", async () => {
    const { items } = await desk.api('GET', '/v1/users?limit=20');
    const emre = (items as { id: string; name: string }[]).find(({ name }) => name === 'Emre Aydın');
    await desk.api('POST', '/v1/budgets', {
      ...{ name: 'A share for each', scope: 'organization', split_by: 'user', period: 'yearly' },
      ...{ amount_usd: 50, enforcement: 'notify' },
    });
    const { token } = await desk.api('POST', '/v1/tokens', { name: 'Emre', role: 'member', user_id: emre?.id });
    const other = await visit(desk.browser, desk.app.url);
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
    await other.page.goto('./budgets');
    await other.page.getByText('budgets:read', { exact: true }).waitFor();
    await other.page.getByRole('link', { name: 'Go to My usage' }).click();
    await other.page.getByRole('heading', { level: 1, name: 'My usage' }).waitFor();
    await other.page.getByRole('img', { name: /My spending by model/ }).waitFor();
    // The console has only the refused request of the page.
    expect({ ...other.complaints, console: [] }).toEqual(NONE);
    await other.context.close();
  });

  it('reads the summary of a decision from left to right even if it begins with an Arabic name', async () => {
    await desk.page.goto('./decisions?range=30d');
    const rows = desk.page.getByRole('row').filter({ hasText: 'person-12@example.com' });
    await rows.first().getByRole('link').first().click();
    const sentence = sheet()
      .getByText(/^ليلى حداد/)
      .first();
    await sentence.waitFor();
    expect(
      await sentence.evaluate('getComputedStyle(document.querySelector("[role=dialog] p.text-lead")).direction'),
    ).toBe('ltr');
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('reads names with markup as text', async () => {
    await desk.page.goto('./users');
    await desk.page.getByText('<b>Kim</b> "Quote" & Co').waitFor();
    expect(await desk.page.locator('table b').count()).toBe(0);
  });
});

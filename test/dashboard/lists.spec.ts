import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from '@jest/globals';
import type { Request } from 'playwright-core';
import { NONE } from './support/browser.js';
import { openDesk } from './support/desk.js';
import { fill } from './support/fill.js';

/** Lists with filters that the page sends to the API, by their address. */
const LISTS: readonly [address: string, path: string][] = [
  ['./users', '/v1/users'],
  ['./users?q=person-1&department=Marketing', '/v1/users'],
  ['./incidents?status=all&severity=high', '/v1/incidents'],
  ['./decisions?range=24h&action=block', '/v1/decisions'],
  ['./incidents?status=all&opened=today', '/v1/incidents'],
  ['./audit?range=24h', '/v1/audit-log'],
  ['./audit?range=24h&q=policy', '/v1/audit-log'],
  ['./approvals?status=pending', '/v1/approvals'],
  ['./settings', '/v1/tokens'],
  ['./settings?sort=expires_at', '/v1/tokens'],
  ['./users?sort=-last_active_at', '/v1/users'],
  ['./integrations', '/v1/itsm/connectors'],
  ['./prices', '/v1/prices/unpriced'],
];

const DAY_MS = 86_400_000;

describe('a list of the page', () => {
  const desk = openDesk({ fill });
  const { sheet, button } = desk;

  /** Presses a button, and returns the file that the browser saves. */
  async function download(name: string): Promise<string> {
    const saved = desk.page.waitForEvent('download');
    await desk.page.getByRole('button', { name: `Download CSV: ${name}` }).click();
    return readFile(await (await saved).path(), 'utf8');
  }

  /** The list in CSV, as the API returns it. */
  async function csvOf(address: string): Promise<string> {
    const headers = { authorization: `Bearer ${desk.app.token ?? ''}`, accept: 'text/csv' };
    const answer = await fetch(address, { headers });
    expect(answer.status).toBe(200);
    return Buffer.from(await answer.arrayBuffer()).toString('utf8');
  }

  const nameOf = (path: string) => NAMES[path] ?? path;

  it.each(LISTS)('at %s is downloaded with its filters, byte for byte as the API answers', async (address, path) => {
    const requests: { url: URL; accept: string | undefined }[] = [];
    const note = (request: Request) => {
      const url = new URL(request.url());
      if (url.pathname === path) requests.push({ url, accept: request.headers()['accept'] });
    };
    desk.page.on('request', note);
    await desk.page.goto(address);
    const file = await download(nameOf(path));
    const shown = requests.find(({ accept }) => accept !== 'text/csv');
    const [asked, ...more] = requests.filter(({ accept }) => accept === 'text/csv');
    expect(more).toEqual([]);
    const filters = (url: URL | undefined) => {
      const query = new URLSearchParams(url?.search);
      query.delete('limit');
      return query.toString();
    };
    expect(filters(asked?.url)).toBe(filters(shown?.url));
    expect(file).toBe(await csvOf(asked?.url.href ?? ''));
    expect(parse(file).length).toBeGreaterThan(1);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it.each([
    ['policies', './policies?action=block&sort=-name'],
    ['budgets', './budgets?sort=name'],
    ['webhooks', './webhooks?q=example'],
  ])('of %s is downloaded in the displayed order, with rows as the API answers them', async (name, address) => {
    await desk.page.goto(address);
    await desk.page.locator('main tbody tr').first().waitFor();
    const links: string[] = [];
    for (const link of await desk.page.locator('main tbody tr td:first-child a').all()) {
      links.push(/([\w-]{36})/.exec((await link.getAttribute('href')) ?? '')?.[1] ?? '');
    }
    const file = await download(name);
    const [header = '', ...rows] = file.split(/(?<=\r\n)/);
    expect(rows.map(row => row.split(',')[0])).toEqual(links);
    const [apiHeader, ...apiRows] = (await csvOf(`${desk.app.url}/v1/${name}`)).split(/(?<=\r\n)/);
    expect(header).toBe(apiHeader);
    for (const row of rows) expect(apiRows.map(withoutHealth)).toContain(withoutHealth(row));
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('of incidents is filtered by the day in which they were opened', async () => {
    await desk.page.goto('./incidents?status=all');
    const rows = desk.page.locator('main tbody tr');
    await rows.first().waitFor();
    const asked = desk.page.waitForRequest(request => new URL(request.url()).searchParams.has('until'));
    await desk.page.getByLabel('Opened').selectOption('Opened yesterday');
    const { searchParams } = new URL((await asked).url());
    const [since, until] = [searchParams.get('since'), searchParams.get('until')].map(at => Date.parse(String(at)));
    expect((until ?? 0) - (since ?? 0)).toBe(DAY_MS);
    expect(Math.floor(Date.now() / DAY_MS) * DAY_MS - (until ?? 0)).toBeLessThanOrEqual(DAY_MS);
    await desk.page.getByText('No incidents match these filters').waitFor();
    await desk.page.getByLabel('Opened').selectOption('Opened in the last 7 days');
    await rows.first().waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it.each([
    ['./users', 'Name', 'sort=-name', 'ليلى حداد'],
    ['./users', 'Last call', 'sort=-last_active_at', undefined],
    ['./settings', 'Expires', 'sort=expires_at', undefined],
  ])('at %s is sorted by the API after a press on the header %s', async (address, head, sort, first) => {
    const [direction, other] = sort.includes('=-')
      ? ['descending', sort.replace('=-', '=')]
      : ['ascending', sort.replace('=', '=-')];
    await desk.page.goto(address);
    const rows = desk.page.locator('main tbody tr');
    await rows.first().waitFor();
    const asked = desk.page.waitForRequest(request => new URL(request.url()).search.includes(sort));
    await button(head).click();
    await asked;
    const header = desk.page.locator(`th[aria-sort=${direction}]`);
    await header.filter({ hasText: head }).waitFor();
    if (first !== undefined) await rows.first().filter({ hasText: first }).waitFor();
    const reversed = desk.page.waitForRequest(request => new URL(request.url()).search.includes(other));
    await button(head).click();
    if (head !== 'Name') await reversed;
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('of incidents begins with the last seen one, marks this order, and reverses it at the first press', async () => {
    const asked = desk.page.waitForRequest(request => request.url().includes('sort=-last_seen_at'));
    await desk.page.goto('./incidents?status=all');
    await asked;
    await desk.page.locator('th[aria-sort=descending]').filter({ hasText: 'Last seen' }).waitFor();
    const reversed = desk.page.waitForRequest(request => request.url().includes('sort=last_seen_at'));
    await button('Last seen').click();
    await reversed;
    await desk.page.locator('th[aria-sort=ascending]').filter({ hasText: 'Last seen' }).waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('of webhooks begins with failing ones, marks this order, and reverses it at the first press', async () => {
    const paused = await desk.api('POST', '/v1/webhooks', {
      url: 'https://paused.example.com/in',
      description: 'Away',
    });
    await desk.api('PATCH', `/v1/webhooks/${String(paused['id'])}`, { enabled: false });
    await desk.page.goto('./webhooks');
    const names = desk.page.locator('main tbody tr td:first-child a');
    await desk.page.locator('th[aria-sort=descending]').filter({ hasText: 'Health' }).waitFor();
    const before = await names.allTextContents();
    expect(before.at(-1)).toBe('Away');
    await button('Health').click();
    await desk.page.locator('th[aria-sort=ascending]').filter({ hasText: 'Health' }).waitFor();
    expect((await names.allTextContents())[0]).toBe('Away');
    expect(desk.visitor.complaints).toEqual(NONE);
    await desk.api('DELETE', `/v1/webhooks/${String(paused['id'])}`);
  });

  it('of the audit log is searched by part of the action, and filtered by the resource type', async () => {
    await desk.page.goto('./audit');
    const rows = desk.page.locator('main tbody tr');
    await rows.filter({ hasText: 'Budget created' }).first().waitFor();
    await desk.page.getByLabel('Action or actor').fill('policy created');
    await rows.filter({ hasText: 'Budget created' }).first().waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'Policy created' }).first().waitFor();
    for (const row of await rows.allTextContents()) expect(row).toContain('Policy created');
    await button('Clear filters').click();
    await desk.page.getByLabel('Resource type').selectOption('Budget');
    await rows.filter({ hasText: 'Policy created' }).first().waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'Budget created' }).first().waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('of policies begins with the last changed one, and the audit log shows what was changed', async () => {
    const { items } = await desk.api('GET', '/v1/policies?limit=100');
    const first = (items as { id: string; name: string; conditions: unknown }[]).find(
      ({ name }) => name === 'Watch the large model',
    );
    await desk.api('PUT', `/v1/policies/${String(first?.id)}`, { description: 'Costs most' });
    await desk.page.goto('./policies');
    await desk.page.getByRole('columnheader', { name: 'Updated' }).waitFor();
    expect(await desk.page.locator('main tbody tr td:first-child a').allTextContents()).toEqual([
      ...['Watch the large model', 'Never export', 'Ask before o3', 'No preview models'],
    ]);
    await desk.page.goto('./audit?action=policy.updated');
    await desk.page.locator('main tbody tr td:first-child a').first().click();
    await sheet().getByRole('link', { name: 'Policy: Watch the large model' }).waitFor();
    await sheet().getByRole('rowheader', { name: 'description' }).waitFor();
    expect(await sheet().getByRole('rowheader').allTextContents()).toEqual(['description', 'version']);
    const conditions = { department: { in: ['Sales', 'Legal'] } };
    await desk.api('PUT', `/v1/policies/${String(first?.id)}`, { conditions });
    await desk.api('PUT', `/v1/policies/${String(first?.id)}`, { conditions: first?.conditions });
    await desk.page.goto('./audit?action=policy.updated');
    await desk.page.locator('main tbody tr td:first-child a').first().click();
    await sheet().getByRole('rowheader', { name: 'conditions' }).waitFor();
    expect(await sheet().getByRole('cell').first().textContent()).toContain('department is one of Sales, Legal');
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('of approvals shows the status only where it differs', async () => {
    await desk.page.goto('./approvals?status=all');
    await desk.page.getByRole('columnheader', { name: 'Status' }).waitFor();
    await desk.page.goto('./approvals');
    await desk.page.getByRole('columnheader', { name: 'Model' }).waitFor();
    expect(await desk.page.getByRole('columnheader', { name: 'Status' }).count()).toBe(0);
  });

  it('of policies shows the hits of a week, and the sheet of a policy those of each day', async () => {
    await desk.page.goto('./policies');
    const row = desk.page.locator('main tbody tr').filter({ hasText: 'No preview models' });
    await row.getByText('2', { exact: true }).waitFor();
    await row.getByRole('link').first().click();
    await sheet().getByText('2 hits, 2 not allowed in 30 days').waitFor();
    const chart = sheet().getByRole('img', { name: /Arrow keys read the days/ });
    await chart.focus();
    await desk.page.keyboard.press('End');
    await sheet()
      .getByText(/: 2 hits, 2 not allowed$/)
      .waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('of the periods of a budget links from an alert to the event, and to its receiving endpoint', async () => {
    const { items } = await desk.api('GET', '/v1/users?q=person-1@example.com');
    const [person] = items as { id: string }[];
    const { id: budget } = await desk.api('POST', '/v1/budgets', {
      ...{
        name: 'Crossed today',
        scope: 'user',
        user_id: person?.id,
        amount_usd: 1,
        period: 'daily',
        enforcement: 'notify',
      },
    });
    await desk.api('POST', '/v1/usage/events', {
      events: [
        {
          ...{
            id: randomUUID(),
            user_id: person?.id,
            provider: 'openai',
            model: 'gpt-4o',
            occurred_at: new Date().toISOString(),
          },
          ...{ input_tokens: 1, output_tokens: 1, cost_usd: '5' },
        },
      ],
    });
    await desk.page.goto(`./budgets/${String(budget)}`);
    await sheet().getByRole('heading', { name: 'History' }).waitFor();
    await button(/^Alert at 100%/).click();
    await sheet()
      .getByRole('button', { name: /^Copy event ID evt_/ })
      .waitFor();
    await sheet().getByRole('link', { name: 'Relay' }).click();
    await desk.page.getByRole('heading', { name: 'Delivery log' }).waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });
});

/** Leaves out the health of webhooks: it changes with each attempt, and an attempt may happen between the two reads. */
function withoutHealth(row: string): string {
  return row.replace(/"\{""state""[^}]*\}"/, '');
}

const NAMES: Readonly<Record<string, string>> = {
  '/v1/users': 'users',
  '/v1/incidents': 'incidents',
  '/v1/decisions': 'decisions',
  '/v1/audit-log': 'audit records',
  '/v1/approvals': 'approvals',
  '/v1/tokens': 'tokens',
  '/v1/itsm/connectors': 'connectors',
  '/v1/prices/unpriced': 'unpriced models',
};

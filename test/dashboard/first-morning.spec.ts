import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeAuthority } from '../support/certificates.js';
import { answer } from '../support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../support/https-endpoint.js';
import { startSite, type Site } from '../emulators/jira/site.js';
import { until } from '../support/webhooks.js';
import { findingsInBothThemes, NONE } from './support/browser.js';
import { openDesk } from './support/desk.js';
import { keyboardOf } from './support/keyboard.js';

/** Hostile texts: markup, right-to-left letters and an override, and emoji. */
const HOSTILE = '<img src=x data-hostile>🚨مرحبا\u202Eabc';

/** The secret with which the platform signs its webhook. */
const WEBHOOK_SECRET = 'a-secret-of-the-board-webhook';

describe('an operator on the first day', () => {
  let jira: Site;
  let endpoint: Endpoint;
  let userId = '';

  const desk = openDesk({
    settings: async () => {
      const authority = await makeAuthority();
      jira = await startSite({ authority, isStrict: false });
      endpoint = await startEndpoint({
        authority,
        behaviour: answer(500, HOSTILE),
      });
      return {
        NODE_EXTRA_CA_CERTS: authority.caFile(),
        GOVERNANCE_EGRESS_ALLOW: 'tickets=127.0.0.0/8,webhooks=127.0.0.0/8',
      };
    },
    end: () => Promise.all([jira?.close(), endpoint?.close()]),
  });
  const { sheet } = desk;
  const keyboard = keyboardOf(() => desk.page);
  const heading = (name: string): Promise<void> => desk.page.getByRole('heading', { level: 1, name }).waitFor();

  /** Usage changes with nearly every request, so the page refetches it every 15 seconds of its clock. */
  const afterRefetch = (isShown: () => Promise<boolean>): Promise<true> =>
    until(async () => {
      await desk.page.clock.fastForward('00:15');
      return isShown();
    }, 30_000);

  it('completes the first steps by keyboard only, up to the first call', async () => {
    await desk.page.clock.install();
    await desk.page.goto('./overview');
    await desk.page.getByText('0 of 5 done').waitFor();
    await keyboard.press('Create your first policy');
    await heading('Policies');
    await desk.page.getByText('No policies yet').waitFor();
    expect(await desk.page.getByRole('search').count()).toBe(0);
    await keyboard.press('New policy');
    await sheet().getByText('Add condition').waitFor();
    await keyboard.type('Name', 'Never export');
    await keyboard.choose('When it matches', 'Block: refuse the call');
    await keyboard.type('Models', 'export-*');
    await keyboard.press('Create policy');
    await desk.page.waitForURL(/policies\/(?!new)/);
    userId = String((await desk.api('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada Marsh' }))['id']);
    const call = { id: randomUUID(), user_id: userId, provider: 'openai', model: 'gpt-4o', input_tokens: 2_000_000 };
    await sheet().getByRole('heading', { name: 'History' }).waitFor();
    await desk.page.getByRole('search').waitFor();
    await keyboard.go('o', 'Overview');
    await desk.page.getByText('2 of 5 done').waitFor();
    await desk.page.getByText('Live', { exact: true }).waitFor();
    const events = [{ ...call, output_tokens: 400_000, occurred_at: new Date().toISOString() }];
    await desk.api('POST', '/v1/usage/events', { events });
    await afterRefetch(async () => (await desk.page.getByText('3 of 5 done').count()) > 0);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it("opens a ticket for an incident by keyboard only, and sees it resolved by the platform's report", async () => {
    await desk.api('POST', '/v1/itsm/connectors', {
      ...{ kind: 'jira', name: 'Board', active: true, settings: jira.settings },
      secrets: { ...jira.account, webhook_secret: WEBHOOK_SECRET },
      routing: { min_severity: 'critical' },
    });
    await desk.api('POST', '/v1/decisions', { user_id: userId, provider: 'openai', model: 'export-all' });
    await desk.page.goto('./overview');
    await heading('Overview');
    await keyboard.go('i', 'Incidents');
    await desk.page.getByText('Live', { exact: true }).waitFor();
    await keyboard.open('Never export');
    await keyboard.press('Create ticket…');
    await desk.page.getByText('Preview', { exact: true }).waitFor();
    expect(await findingsInBothThemes(desk.page)).toEqual([]);
    await keyboard.press('Create ticket');
    await sheet().getByRole('link', { name: 'SEC-1' }).first().waitFor();
    const ticket = sheet().getByRole('listitem').filter({ hasText: 'SEC-1' }).first();
    await ticket.getByText('Open', { exact: true }).waitFor();
    const { id } = await desk.api('GET', '/v1/organization');
    jira.registerWebhook(`${desk.app.url}/v1/integrations/itsm/webhook/${String(id)}`, WEBHOOK_SECRET);
    // Somebody resolves the ticket on the platform, which reports it. The open sheet shows it without a reload.
    jira.issues.move('SEC-1', { category: 'done', resolution: 'Done' });
    await ticket.getByText('Resolved', { exact: true }).waitFor();
    expect(jira.webhookAnswers).toEqual([200]);
    const reported = sheet().getByRole('listitem').filter({ hasText: 'Ticket marked resolved in Jira' });
    await reported.getByText('by Mia Krystof').waitFor();
    await reported.getByText('Done', { exact: true }).waitFor();
    // The incident stays open, and the sheet says why.
    const status = sheet()
      .locator('dl > div')
      .filter({ hasText: /^Status/ });
    await status.getByText('Open', { exact: true }).waitFor();
    await sheet()
      .getByText(/^The incident is open: /)
      .waitFor();
    await desk.page.keyboard.press('Escape');
    await desk.page.getByRole('row', { name: 'Never export' }).waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('sees a budget cross 80 % by keyboard only, and the alert that was sent', async () => {
    const { total } = await desk.api('GET', '/v1/usage/series?metric=cost_usd');
    await desk.api('POST', '/v1/budgets', {
      ...{ name: 'Everybody', scope: 'organization', period: 'monthly', enforcement: 'notify' },
      amount_usd: Number(total) * 1.5,
    });
    await desk.page.clock.install();
    await desk.page.goto('./overview');
    await heading('Overview');
    await keyboard.go('b', 'Budgets');
    await desk.page.getByText('Live', { exact: true }).waitFor();
    const row = desk.page.getByRole('row', { name: 'Everybody' });
    await row.getByText('66.7%').waitFor();
    const call = { id: randomUUID(), user_id: userId, provider: 'openai', model: 'gpt-4o', input_tokens: 500_000 };
    const events = [{ ...call, output_tokens: 100_000, occurred_at: new Date().toISOString() }];
    await desk.api('POST', '/v1/usage/events', { events });
    await afterRefetch(async () => (await row.getByText('83.3%').count()) > 0);
    await keyboard.open('Everybody');
    await keyboard.press(/^Alert at 80%/);
    await sheet().getByText('No endpoint was subscribed to this event.').waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it("sees markup in an endpoint's answer and in a ticket's text as text", async () => {
    const { id } = await desk.api('POST', '/v1/webhooks', { url: endpoint.url, description: HOSTILE });
    await desk.api('POST', '/v1/policies', { name: HOSTILE, action: 'block', model: 'odd-*', severity: 'critical' });
    await desk.api('POST', '/v1/decisions', { user_id: userId, provider: 'openai', model: 'odd-model' });
    const interpreted = desk.page.locator('[data-hostile]');
    await desk.page.goto(`./webhooks/${String(id)}`);
    await sheet()
      .getByRole('button', { name: /^(Pending|Failed) Policy violation/ })
      .first()
      .click();
    await sheet()
      .locator('dl > div')
      .filter({ hasText: /^Last answer.*HTTP 500/ })
      .waitFor();
    const answered = sheet().getByLabel('Response to attempt 1', { exact: true });
    expect(await answered.textContent()).toBe(HOSTILE);
    expect(await interpreted.count()).toBe(0);
    expect(await findingsInBothThemes(desk.page)).toEqual([]);

    await desk.page.goto('./incidents?tab=tickets');
    await desk.page.getByRole('row', { name: HOSTILE }).getByText('Open', { exact: true }).waitFor();
    await desk.page.getByRole('row', { name: HOSTILE }).getByRole('link').first().click();
    await sheet().getByRole('heading', { name: HOSTILE }).waitFor();
    await sheet().getByRole('link', { name: 'Open in Jira' }).waitFor();
    await sheet().getByText('Status in Jira').waitFor();
    expect(await interpreted.count()).toBe(0);
    expect(await findingsInBothThemes(desk.page)).toEqual([]);
    expect(jira.issues.all.length).toBeGreaterThan(1);
    expect(desk.visitor.complaints).toEqual(NONE);
  });
});

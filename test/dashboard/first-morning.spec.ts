import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeAuthority } from '../support/certificates.js';
import { startJira, type JiraEmulator } from '../support/itsm/jira-emulator.js';
import { until } from '../support/webhooks.js';
import { NONE } from './support/browser.js';
import { openDesk } from './support/desk.js';

describe('the first morning of an operator', () => {
  let jira: JiraEmulator;
  let userId = '';

  const desk = openDesk({
    settings: async () => {
      const authority = await makeAuthority();
      jira = await startJira({ authority, isHeldToApi: false });
      return { NODE_EXTRA_CA_CERTS: authority.caFile(), GOVERNANCE_EGRESS_ALLOW: '127.0.0.0/8' };
    },
    end: () => jira?.close(),
  });
  const { sheet } = desk;

  /** Puts the focus on a control, as the tab key does, and presses a key. */
  async function press(name: string | RegExp, key = 'Enter'): Promise<void> {
    const control = desk.page.getByRole('button', { name }).or(desk.page.getByRole('link', { name }));
    await control.last().focus();
    await desk.page.keyboard.press(key);
  }

  /** Types into a field of the sheet. */
  async function type(label: string, text: string): Promise<void> {
    await sheet().getByLabel(label, { exact: true }).focus();
    await desk.page.keyboard.type(text);
  }

  it('ticks the first steps by keyboard only, until the first call is there', async () => {
    await desk.page.goto('./overview');
    await desk.page.getByText('0 of 5 done').waitFor();
    await press('Create your first policy');
    await desk.page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
    await press('New policy');
    await type('Name', 'Never export');
    await sheet()
      .getByLabel(/^Models/)
      .focus();
    await desk.page.keyboard.type('export-*');
    await press('Create policy');
    await desk.page.waitForURL(/policies\/(?!new)/);
    userId = String((await desk.api('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada Marsh' }))['id']);
    const call = { id: randomUUID(), user_id: userId, provider: 'openai', model: 'gpt-4o', input_tokens: 2_000_000 };
    await desk.page.goto('./overview');
    await desk.page.getByText('2 of 5 done').waitFor();
    await desk.page.getByText('Live', { exact: true }).waitFor();
    const events = [{ ...call, output_tokens: 400_000, occurred_at: new Date().toISOString() }];
    await desk.api('POST', '/v1/usage/events', { events });
    await desk.page.reload();
    await desk.page.getByText('3 of 5 done').waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('opens a ticket of an incident by keyboard only, and sees it resolved by the report of the platform', async () => {
    await desk.api('POST', '/v1/itsm/connectors', {
      ...{ kind: 'jira', name: 'Board', active: true, settings: jira.settings, secrets: jira.secrets },
      routing: { min_severity: 'critical' },
    });
    await desk.api('POST', '/v1/decisions', { user_id: userId, provider: 'openai', model: 'export-all' });
    await desk.page.goto('./incidents');
    await desk.page.getByText('Live', { exact: true }).waitFor();
    await press('Never export');
    await press('Create ticket…');
    await desk.page.getByText('Preview', { exact: true }).waitFor();
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Create ticket' }).focus();
    await desk.page.keyboard.press('Enter');
    await sheet().getByRole('link', { name: 'SEC-1' }).first().waitFor();
    const { id } = await desk.api('GET', '/v1/organization');
    jira.move('SEC-1', { category: 'done', resolution: 'Done' });
    await desk.api('POST', `/v1/integrations/itsm/webhook/${String(id)}`, {
      ...{ external_ticket_id: 'SEC-1', status: 'resolved' },
    });
    await sheet().getByText('Resolved', { exact: true }).first().waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('sees a budget cross 80 % while the page is open', async () => {
    const { total } = await desk.api('GET', '/v1/usage/series?metric=cost_usd');
    await desk.api('POST', '/v1/budgets', {
      ...{ name: 'Everybody', scope: 'organization', period: 'monthly', enforcement: 'notify' },
      amount_usd: Number(total) * 1.5,
    });
    await desk.page.clock.install();
    await desk.page.goto('./budgets');
    await desk.page.getByText('Live', { exact: true }).waitFor();
    const row = desk.page.getByRole('row', { name: 'Everybody' });
    await row.getByText('66.7%').waitFor();
    const call = { id: randomUUID(), user_id: userId, provider: 'openai', model: 'gpt-4o', input_tokens: 500_000 };
    const events = [{ ...call, output_tokens: 100_000, occurred_at: new Date().toISOString() }];
    await desk.api('POST', '/v1/usage/events', { events });
    // Usage changes with nearly every request, so the page reads it again every 15 seconds of its clock.
    await until(async () => {
      await desk.page.clock.fastForward('00:15');
      return (await row.getByText('83.3%').count()) > 0;
    }, 30_000);
    expect(desk.visitor.complaints).toEqual(NONE);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { startSite, type Site } from '../emulators/jira/site.js';
import { makeAuthority } from '../support/certificates.js';
import { until } from '../support/webhooks.js';
import { NONE } from './support/browser.js';
import { openDesk } from './support/desk.js';

const WITHIN_MS = 30_000;

describe('an operator whose incident has a ticket that did not follow it', () => {
  let site: Site;
  let userId = '';

  const desk = openDesk({
    settings: async () => {
      const authority = await makeAuthority();
      site = await startSite({ authority });
      return { NODE_EXTRA_CA_CERTS: authority.caFile(), GOVERNANCE_EGRESS_ALLOW: 'tickets=127.0.0.0/8' };
    },
    fill: async api => {
      await api('POST', '/v1/policies', { name: 'Never export', action: 'block', model: 'export-*' });
      userId = String((await api('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada Marsh' }))['id']);
      await api('POST', '/v1/itsm/connectors', {
        ...{ kind: 'jira', name: 'Board', active: true, secrets: site.account },
        settings: { instance_url: site.origin, project_key: 'SEC', issue_type: 'Task' },
      });
    },
    end: () => site?.close(),
  });
  const { sheet } = desk;

  async function ticketsOf(model: string): Promise<Record<string, unknown>[]> {
    const { items } = await desk.api('GET', '/v1/itsm/tickets');
    const all = Array.isArray(items) ? items.filter(item => typeof item === 'object' && item !== null) : [];
    return all.filter(item => String(Reflect.get(item, 'title')).includes(model));
  }

  /** An incident with a ticket. */
  async function opened(model: string): Promise<{ ticketId: string; incidentId: string }> {
    await desk.api('POST', '/v1/decisions', { user_id: userId, provider: 'openai', model });
    const ticket = await until(
      async () => (await ticketsOf(model)).find(each => each['sync_state'] === 'created'),
      WITHIN_MS,
    );
    return { ticketId: String(ticket['id']), incidentId: String(ticket['incident_id']) };
  }

  /** Resolves the incident, and waits for this result of the ticket's change. */
  async function resolve(model: string, incidentId: string, result: string): Promise<void> {
    await desk.api('PATCH', `/v1/incidents/${incidentId}`, { status: 'resolved', resolution: 'Ada knows.' });
    await until(async () => (await ticketsOf(model)).some(each => each['change_result'] === result), WITHIN_MS);
  }

  function section(name: string): Locator {
    const heading = desk.page.getByRole('heading', { name, exact: true });
    return sheet().locator('section').filter({ has: heading });
  }

  it('sees in the list of tickets on a narrow screen which connector fails, and which tickets wait for it', async () => {
    const { id } = await desk.api('POST', '/v1/itsm/connectors', {
      ...{ kind: 'jira', name: 'Archive', active: true, secrets: { ...site.account, api_token: 'expired' } },
      settings: { instance_url: site.origin, project_key: 'SEC', issue_type: 'Task' },
    });
    // The platform rejects the first ticket. Then the service creates no further ones.
    await opened('export-first');
    await until(
      async () => (await desk.api('GET', `/v1/itsm/connectors/${String(id)}`))['problem'] !== null,
      WITHIN_MS,
    );
    const { incidentId } = await opened('export-of-all-conversations-of-the-last-five-years');
    const { page, complaints, context } = await desk.window({ width: 390 });
    await page.goto('./incidents?tab=tickets');
    await page.getByText(/^Archive has created no tickets since/).waitFor();
    const rows = page.locator('main tbody tr');
    await rows
      .filter({ hasText: 'Waiting' })
      .filter({ hasText: 'export-of-all-conversations-of-the-last-five-years' })
      .waitFor();
    expect(await rows.filter({ hasText: 'Waiting' }).count()).toBe(1);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    // The incident, the timeline and the trial of the routes agree with the list.
    await page.goto(`./incidents/${incidentId}`);
    const waiting = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Waiting' });
    await waiting.getByRole('link', { name: 'Not created', exact: true }).waitFor();
    await waiting.getByRole('link', { name: 'Ticket of Jira' }).waitFor();
    await page.goto('./integrations');
    const trial = page.getByRole('list', { name: 'Connectors' }).getByRole('listitem');
    await trial.filter({ hasText: 'Archive' }).getByText('Ticket waits', { exact: true }).waitFor();
    await trial.filter({ hasText: 'Board' }).getByText('Ticket', { exact: true }).waitFor();
    expect(complaints).toEqual(NONE);
    await context.close();
    await desk.api('DELETE', `/v1/itsm/connectors/${String(id)}`);
  });

  it('sees in the ticket and in the timeline that the platform refused a change, and what to do', async () => {
    Object.assign(site.conditions, { requires: 'Root cause', transitions: ['11', '21', '31'] });
    const { ticketId, incidentId } = await opened('export-refused');
    await resolve('export-refused', incidentId, 'refused');
    await desk.page.goto(`./incidents/tickets/${ticketId}`);
    const part = section('Ticket not resolved');
    await part.getByText('Root cause').waitFor();
    await part.getByText('The service does not repeat it. Resolve the ticket there.').waitFor();
    await desk.page.goto(`./incidents/${incidentId}`);
    await sheet().locator('ol').getByText('Ticket not resolved', { exact: true }).waitFor();
    expect(await sheet().getByText('Ticket resolved', { exact: true }).count()).toBe(0);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('sees when the service tries a change again, and what the platform answered', async () => {
    const { ticketId, incidentId } = await opened('export-later');
    site.conditions.exhaustedForS = 1_800;
    await resolve('export-later', incidentId, 'retrying');
    await desk.page.goto(`./incidents/tickets/${ticketId}`);
    const part = section('Ticket not resolved yet');
    await part.getByText('Tried').waitFor();
    await part.getByText(/^in \d+ minutes$/).waitFor();
    await part.getByText('Nothing: the service tries again.').waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });
});

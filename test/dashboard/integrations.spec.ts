import { describe, expect, it } from '@jest/globals';
import { startSlack, type Slack } from '../emulators/slack/workspace.js';
import { makeAuthority } from '../support/certificates.js';
import { emulatedHosts } from '../support/emulated-hosts.js';
import { until } from '../support/webhooks.js';
import { accessibilityFindings, NONE } from './support/browser.js';
import { openDesk } from './support/desk.js';
import { fill } from './support/fill.js';
import { keyboardOf } from './support/keyboard.js';

const HOSTILE = `<b>Desk</b> مرحبا ${'long'.repeat(50)}`;

describe('an operator who configures notifications of incidents', () => {
  let slack: Slack;
  let userId: string;

  const desk = openDesk({
    settings: async () => {
      const authority = await makeAuthority();
      slack = await startSlack({ authority });
      return {
        ...emulatedHosts({ 'slack.com': slack.port, 'hooks.slack.com': slack.port }),
        ...{ NODE_EXTRA_CA_CERTS: authority.caFile(), GOVERNANCE_EGRESS_ALLOW: '127.0.0.0/8' },
      };
    },
    fill: async api => {
      [userId = ''] = (await fill(api)).userIds;
      await api('POST', '/v1/itsm/connectors', {
        ...{ kind: 'jira', name: HOSTILE },
        settings: { instance_url: 'https://acme.atlassian.net', project_key: 'SEC', issue_type: 'Bug' },
        secrets: { email: 'bot@example.com', api_token: 'not-a-real-token' },
      });
    },
    end: () => slack?.close(),
  });
  const { sheet, button } = desk;
  const keyboard = keyboardOf(() => desk.page);

  it('limits a connector to some incidents, and sees for which ones it would open a ticket', async () => {
    await desk.page.goto('./integrations');
    const trial = desk.page.getByRole('list', { name: 'Connectors' });
    const line = (name: string) => trial.getByRole('listitem').filter({ hasText: name });
    await line(HOSTILE).getByText('The connector is active, and the incident meets its routing.').waitFor();
    await line('Service desk <one>').getByText('The connector is switched off').waitFor();
    await line(HOSTILE).getByRole('link').click();
    await sheet().getByText('all incidents').waitFor();
    await desk.page.getByRole('link', { name: 'Edit', exact: true }).last().click();
    await sheet().getByLabel('Minimum severity').selectOption('critical');
    await sheet().getByRole('group', { name: 'Policies' }).getByLabel('Never export').check();
    await sheet().getByLabel('Departments').fill('Sales, Research');
    await sheet().getByLabel('Title template').fill('{{ severity }}: {{ policy }} by {{ person }}');
    await sheet().getByText('high: No preview models by ada@example.com').waitFor();
    await button('Save').click();
    await sheet().getByText('severity critical only; 1 policy; Sales, Research').waitFor();
    await desk.page.keyboard.press('Escape');
    await line(HOSTILE).getByText('from severity critical on').waitFor();
    await desk.page.getByLabel('Severity', { exact: true }).selectOption('critical');
    await desk.page.getByLabel('Violated policy').selectOption({ label: 'Never export' });
    await line(HOSTILE).getByText('listed departments only').waitFor();
    await desk.page.getByLabel('Department of the person').fill('Sales');
    await line(HOSTILE).getByText('The connector is active, and the incident meets its routing.').waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('connects Slack by keyboard only, and an incident arrives in the channel', async () => {
    await desk.page.goto('./integrations');
    await desk.page.getByText('No chats.').waitFor();
    await keyboard.press('Connect chat');
    await sheet().getByText('Workspace ID').waitFor();
    await keyboard.type('Workspace ID', slack.teamId);
    await keyboard.press('Incidents', 'Space');
    await keyboard.type('Channel for incidents', 'C0SECURITY');
    await keyboard.choose('Minimum severity', 'High');
    await keyboard.type('Signing secret', slack.signingSecret);
    await keyboard.type('Bot token', slack.botToken);
    await desk.page.keyboard.press('Enter');
    await desk.page.getByText('Incidents: high or worse in C0SECURITY').waitFor();
    const { items } = await desk.api('GET', '/v1/chat/workspaces');
    expect(items).toEqual([
      expect.objectContaining({
        ...{ platform: 'slack', workspace: slack.teamId, problem: null },
        secret_names: ['notification_secret', 'signing_secret'],
        notifications: { incidents: { channel: 'C0SECURITY', min_severity: 'high' } },
      }),
    ]);
    await desk.api('POST', '/v1/decisions', { user_id: userId, provider: 'openai', model: 'export-by-keyboard' });
    await until(async () => slack.messages.length === 1, 30_000);
    expect(slack.messages[0]).toMatchObject({ channel: 'C0SECURITY', text: expect.stringContaining('Never export') });
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('sees why Slack refuses messages, and the remedy', async () => {
    const [security] = slack.channels;
    Object.assign(security ?? {}, { hasApp: false });
    await desk.api('POST', '/v1/decisions', { user_id: userId, provider: 'openai', model: 'export-unseen' });
    await until(async () => slack.received.length > 1, 30_000);
    await desk.page.goto('./integrations');
    await until(async () => {
      await desk.page.reload();
      await desk.page.getByText('Incidents: high or worse').waitFor();
      return (await desk.page.getByText(/invite the app to the channel/).count()) > 0;
    }, 30_000);
    Object.assign(security ?? {}, { hasApp: true });
    await desk.page.getByRole('link', { name: `Edit ${slack.teamId}` }).click();
    await sheet().getByText('The last notification was not sent.').waitFor();
    await sheet().getByLabel('Minimum severity').selectOption('critical');
    await sheet().getByRole('group', { name: 'Policies' }).getByLabel('Never export').check();
    await sheet().getByLabel('Departments').fill('Sales, Research');
    await button('Save').click();
    await desk.page.getByText('Incidents: critical only, 1 policy, Sales, Research in C0SECURITY').waitFor();
    await desk.page.getByRole('link', { name: `Edit ${slack.teamId}` }).click();
    expect(await sheet().getByLabel('Departments').inputValue()).toBe('Sales, Research');
    await sheet().getByLabel('Requests for approval').check();
    const asking = sheet().getByRole('group', { name: 'Policies that ask for approval' });
    await asking.getByLabel('Ask before o3').waitFor();
    expect(await asking.getByLabel('Never export').count()).toBe(0);
    await sheet().getByLabel('Channel for requests').fill('C0APPROVALS');
    await sheet().getByLabel('Departments of requesters').fill('Sales');
    await button('Save').click();
    await desk.page.getByText('requests for approval: Sales in C0APPROVALS').waitFor();
    await until(async () => slack.messages.length === 2, 30_000);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it.each(['light', 'dark'] as const)('has forms and dialogs without an accessibility error in %s', async theme => {
    const look = await desk.window({ theme });
    try {
      const { page: own } = look;
      await own.goto('./integrations/chat/new');
      await own.getByLabel('Incidents').check();
      await own.getByLabel('Requests for approval').check();
      await own.getByRole('button', { name: 'Connect', exact: true }).click();
      await own.getByText('Bot token is required for notifications.').waitFor();
      expect(await accessibilityFindings(own)).toEqual([]);
      await own.getByRole('radio', { name: 'Microsoft Teams' }).check();
      await own.getByText('Cards link to this dashboard').waitFor();
      expect(await accessibilityFindings(own)).toEqual([]);
      await own.goto('./integrations');
      await own.getByRole('button', { name: /^Remove T/ }).click();
      await own.getByText('its account links are deleted').waitFor();
      expect(await accessibilityFindings(own)).toEqual([]);
      expect(look.complaints).toEqual(NONE);
    } finally {
      await look.context.close();
    }
  });
});

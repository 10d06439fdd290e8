import { describe, expect, it } from '@jest/globals';
import { accessibilityFindings, NONE } from './support/browser.js';
import { openDesk } from './support/desk.js';
import { fill } from './support/fill.js';

const HOSTILE = `<b>Relay</b> مرحبا 🛰️ ${'long'.repeat(50)}`;

describe('an operator who connects systems', () => {
  const desk = openDesk({ fill });
  const { sheet, button } = desk;

  it('registers a webhook for some events, sees its secret once, pauses it and rotates the secret', async () => {
    await desk.page.goto('./webhooks/new');
    await sheet().getByLabel('URL', { exact: true }).fill('https://siem.example.com/in');
    await sheet().getByLabel('Description').fill(HOSTILE);
    await sheet().getByLabel('Events').selectOption('some');
    await sheet().getByLabel('Policy violation').check();
    await button('Register').click();
    await desk.page.getByText('You will not see it again.').waitFor();
    await desk.page.getByRole('link', { name: /I have copied it/ }).click();
    await sheet().getByRole('heading', { name: 'Delivery log' }).waitFor();
    await sheet().getByText('No delivery has used up its attempts').waitFor();
    expect(await button('Recover failed…').isDisabled()).toBe(true);
    expect(await desk.page.getByText('You will not see it again.').count()).toBe(0);
    await button('Pause').click();
    await button('Resume').waitFor();
    await sheet()
      .getByRole('img', { name: /Arrow keys read the hours/ })
      .focus();
    await desk.page.keyboard.press('End');
    await sheet()
      .getByText(/^[A-Z][a-z]{2} \d+, \d\d:00: 0 accepted, 0 failed$/)
      .waitFor();
    // Also checks the page with the focus in a toast, and with an open menu.
    await desk.page.keyboard.press('F6');
    expect(await accessibilityFindings(desk.page)).toEqual([]);
    await button('More').click();
    await desk.page.getByRole('menuitem', { name: /Rotate/ }).waitFor();
    expect(await accessibilityFindings(desk.page)).toEqual([]);
    await desk.page.getByRole('menuitem', { name: /Rotate/ }).click();
    await button('Rotate secret').click();
    await desk.page.getByText('You will not see it again.').waitFor();
    await button('I have copied it').click();
    await sheet().getByText('Previous secret also signs').waitFor();
    const { items } = await desk.api('GET', '/v1/webhooks?limit=1');
    expect(items).toEqual([
      expect.objectContaining({
        description: HOSTILE,
        events: ['policy_violation'],
        all_events: false,
        enabled: false,
      }),
    ]);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('connects a platform with the form of its schemas, and changes it without entering its secrets again', async () => {
    await desk.page.goto('./integrations/new');
    await desk.page.getByRole('radio', { name: 'Jira Cloud' }).check();
    await button('Connect').click();
    await desk.page.getByText('Project key is required.').waitFor();
    await sheet().getByLabel('Name', { exact: true }).fill(HOSTILE);
    await sheet().getByLabel('Instance URL').fill('https://acme.atlassian.net');
    await sheet().getByLabel('Project key').fill('SEC');
    await sheet().getByLabel('Issue type').fill('Bug');
    await sheet().getByLabel('E-mail').fill('bot@example.com');
    await sheet().getByLabel('API token').fill('not-a-real-token');
    await button('Connect').click();
    await desk.page.getByRole('link', { name: 'Edit' }).click();
    await sheet().getByLabel('Project key').fill('OPS');
    await sheet().getByRole('group', { name: 'Priorities' }).getByLabel('High').fill('Urgent');
    expect(await sheet().getByLabel('API token').inputValue()).toBe('');
    await button('Save').click();
    await sheet().getByText('OPS').waitFor();
    const { items } = await desk.api('GET', '/v1/itsm/connectors?limit=1');
    expect(items).toEqual([
      expect.objectContaining({
        name: HOSTILE,
        settings: {
          ...{ instance_url: 'https://acme.atlassian.net', project_key: 'OPS', issue_type: 'Bug' },
          priorities: { high: 'Urgent' },
        },
        secret_names: ['api_token', 'email'],
      }),
    ]);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('sees which of two sets of credentials a platform needs, and connects with either', async () => {
    await desk.page.goto('./integrations/new');
    await desk.page.getByRole('radio', { name: 'ServiceNow' }).check();
    await sheet().getByLabel('Name', { exact: true }).fill('Desk');
    await sheet().getByLabel('Instance URL').fill('https://acme.service-now.example');
    const choice = 'Enter Username and Password, or Client ID and Client secret.';
    await sheet().getByText(choice).waitFor();
    await button('Connect').click();
    expect(await sheet().getByRole('alert').allTextContents()).toEqual([choice]);
    await sheet().getByLabel('Client ID', { exact: true }).fill('client');
    await button('Connect').click();
    await sheet().getByText('Client secret is required.').waitFor();
    expect(await sheet().getByRole('alert').count()).toBe(1);
    await sheet().getByLabel('Client secret', { exact: true }).fill('not-a-real-secret');
    await button('Connect').click();
    await desk.page.getByRole('link', { name: 'Edit' }).click();
    // The form may leave out the secrets, because they are already stored.
    await sheet().getByLabel('Name', { exact: true }).fill('Desk of OAuth');
    await button('Save').click();
    await sheet().getByText('Client ID, Client secret').waitFor();
    const { items } = await desk.api('GET', '/v1/itsm/connectors?limit=1');
    expect(items).toEqual([
      expect.objectContaining({ name: 'Desk of OAuth', secret_names: ['client_id', 'client_secret'] }),
    ]);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('creates a restricted token, sees it once, and revokes it', async () => {
    await desk.page.goto('./settings/tokens/new');
    await sheet().getByLabel('Name', { exact: true }).fill(HOSTILE);
    await sheet().getByLabel('Scopes').first().selectOption('some');
    await sheet().getByLabel('decisions:write').check();
    await button('Create token').click();
    const token = await desk.page.getByRole('button', { name: /^Copy access token/ }).textContent();
    expect((await fetch(`${desk.app.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    await desk.page.getByRole('link', { name: /I have copied it/ }).click();
    await button('Revoke…').click();
    await button('Revoke token').click();
    await desk.page
      .getByText(/ revoked/)
      .first()
      .waitFor();
    expect((await fetch(`${desk.app.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it("creates an enrollment token for a user's device, and revokes it", async () => {
    await desk.page.goto('./devices/new');
    await sheet().getByLabel('User').fill('Ada');
    await button(/Ada Marsh/).click();
    await sheet().getByLabel('Device name').fill(HOSTILE);
    await button('Create token').click();
    await desk.page.getByText('You will not see it again.').waitFor();
    await button('Revoke token').click();
    await desk.page.getByText('No device can enroll with it').waitFor();
    expect(desk.visitor.complaints).toEqual(NONE);
  });

  it('renames the organization, and the frame shows the new name', async () => {
    await desk.page.goto('./settings');
    await desk.page.getByLabel('Name', { exact: true }).fill('Acme <i>Nord</i>');
    await desk.page.getByLabel('Fiscal year starts in').selectOption({ label: 'April' });
    await button('Save').first().click();
    await desk.page.getByText('Acme <i>Nord</i>').first().waitFor();
    expect(await desk.api('GET', '/v1/organization')).toMatchObject({
      name: 'Acme <i>Nord</i>',
      fiscal_year_first_month: 4,
    });
    expect(desk.visitor.complaints).toEqual(NONE);
  });
});

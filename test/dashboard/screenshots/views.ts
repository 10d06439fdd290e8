import type { Page } from 'playwright-core';
import { act, dialog, row, themes } from '../support/opening.js';

/** A screenshot: an address, and the actions before it is taken. */
export interface View {
  name: string;
  path: string;
  /** The user: an administrator by default. A newcomer administers an organization without any data. */
  by?: 'admin' | 'member' | 'nobody' | 'newcomer';
  /** Whether the screenshot shows unusual usage, which the demo finds some minutes after its start. */
  isOfAnomaly?: boolean;
  /** Whether the pointer stays where it last pressed. Otherwise it moves away from the page's controls. */
  isPointed?: boolean;
  /** Opens sheets, dialogs and menus. */
  open?: (page: Page) => Promise<unknown>;
}

/** Pages, then their sheets, forms and dialogs. */
export const VIEWS: readonly View[] = [
  { name: 'sign-in', path: '', by: 'nobody' },
  { name: 'first-overview', path: 'overview', by: 'newcomer' },
  { name: 'first-policies', path: 'policies', by: 'newcomer' },
  { name: 'first-usage', path: 'usage', by: 'newcomer' },
  { name: 'first-integrations', path: 'integrations', by: 'newcomer' },
  { name: 'overview', path: 'overview' },
  {
    name: 'overview-pointed',
    path: 'overview?range=30d',
    isPointed: true,
    open: async page => {
      const chart = page.getByRole('img', { name: /^Spending by model/ });
      await chart.scrollIntoViewIfNeeded();
      await chart.hover();
    },
  },
  { name: 'theme-menu', path: 'users', open: themes },
  { name: 'person-menu', path: 'users', open: page => page.getByRole('button', { name: /^Signed in as/ }).click() },
  { name: 'range-picker', path: 'decisions', open: page => page.getByRole('button', { name: /^Time range/ }).click() },
  { name: 'incidents', path: 'incidents' },
  { name: 'incidents-anomalies', path: 'incidents?tab=anomalies', isOfAnomaly: true },
  { name: 'incidents-tickets', path: 'incidents?tab=tickets' },
  { name: 'incidents-nothing', path: 'incidents?severity=low&type=anomaly&status=resolved' },
  { name: 'incident', path: 'incidents', open: row('DeepSeek') },
  { name: 'incident-anomaly', path: 'incidents?type=anomaly&status=all', isOfAnomaly: true, open: row() },
  { name: 'incident-resolve', path: 'incidents', open: dialog('DeepSeek', /^Resolve/) },
  {
    name: 'incident-ticket',
    path: 'incidents',
    open: async page => {
      await dialog('DeepSeek', /ticket/i)(page);
      await page.getByText('Preview', { exact: true }).waitFor();
    },
  },
  { name: 'ticket', path: 'incidents?tab=tickets&status=open', open: row() },
  { name: 'ticket-pending', path: 'incidents?tab=tickets&state=pending', open: row() },
  { name: 'approvals', path: 'approvals' },
  { name: 'approval', path: 'approvals', open: row() },
  { name: 'policies', path: 'policies' },
  { name: 'policy', path: 'policies', open: row('Reasoning') },
  { name: 'policy-edit', path: 'policies', open: dialog('Reasoning', /^Edit/) },
  { name: 'policy-new', path: 'policies/new' },
  {
    name: 'policy-simulated',
    path: 'policies/new',
    open: async page => {
      await page.getByLabel('Name', { exact: true }).fill('Small models for small questions');
      await page.getByLabel('When it matches').selectOption('block');
      await page.getByLabel(/^Models/).fill('o3');
      await act(page, 'Run simulation').click();
      await act(page, 'Run again').waitFor();
      await page
        .getByRole('region', { name: 'New policy' })
        .evaluate('document.querySelector(".sheet-body").scrollBy(0, 420)');
    },
  },
  {
    name: 'policy-enable',
    path: 'policies',
    open: async page => {
      await dialog('Large model only for', /^Enable/)(page);
      await act(page, 'Run simulation').click();
      await act(page, 'Run again').waitFor();
    },
  },
  { name: 'budgets', path: 'budgets' },
  { name: 'budget', path: 'budgets', open: row('Marketing') },
  {
    name: 'budget-history',
    path: 'budgets',
    open: async page => {
      await row('Research')(page);
      await page
        .getByRole('button', { name: /^Alert at/ })
        .first()
        .click();
      await page.getByRole('list', { name: 'Periods' }).evaluate(list => list.scrollIntoView({ block: 'end' }));
    },
  },
  { name: 'budget-new', path: 'budgets/new' },
  { name: 'budget-delete', path: 'budgets', open: dialog('Research', /^Delete/) },
  { name: 'limits', path: 'limits' },
  { name: 'limit', path: 'limits', open: row() },
  { name: 'limit-new', path: 'limits/new' },
  { name: 'prices', path: 'prices' },
  { name: 'price', path: 'prices', open: row('batch') },
  { name: 'price-new', path: 'prices/new' },
  { name: 'prices-rerate', path: 'prices/rerate' },
  { name: 'usage', path: 'usage?range=30d' },
  { name: 'usage-filtered', path: 'usage?range=30d&model=gpt-4o&department=Research' },
  { name: 'usage-by-user', path: 'usage?range=30d&by=user' },
  { name: 'decisions', path: 'decisions' },
  { name: 'decision', path: 'decisions', open: row('Block') },
  { name: 'audit', path: 'audit' },
  { name: 'audit-entry', path: 'audit', open: row('Policy updated') },
  { name: 'users', path: 'users' },
  { name: 'user', path: 'users', open: row() },
  { name: 'user-offboard', path: 'users', open: dialog('', /^Offboard/) },
  { name: 'users-import', path: 'users/import' },
  { name: 'devices', path: 'devices' },
  { name: 'device', path: 'devices', open: row() },
  { name: 'device-enroll', path: 'devices/new' },
  { name: 'webhooks', path: 'webhooks' },
  { name: 'webhook', path: 'webhooks', open: row('Chargeback') },
  {
    name: 'webhook-delivery',
    path: 'webhooks',
    open: async page => {
      await row('Chargeback')(page);
      const first = page.getByRole('button', { name: /Policy violation/ }).first();
      await first.click();
      await first.scrollIntoViewIfNeeded();
      await page.getByRole('dialog').evaluate('document.querySelector(".sheet-body").scrollBy(0, 480)');
    },
  },
  { name: 'webhook-menu', path: 'webhooks', open: dialog('Data lake', /^More$/) },
  { name: 'webhook-new', path: 'webhooks/new' },
  { name: 'integrations', path: 'integrations' },
  { name: 'connector', path: 'integrations', open: row('Jira') },
  { name: 'connector-failing', path: 'integrations', open: row('Service desk') },
  { name: 'connector-edit', path: 'integrations', open: dialog('Jira', 'Edit') },
  { name: 'connector-new', path: 'integrations/new' },
  { name: 'chat', path: 'integrations', open: page => page.getByRole('link', { name: /^Edit T0/ }).click() },
  {
    name: 'chat-new',
    path: 'integrations/chat/new',
    open: async page => {
      await page.getByLabel('Incidents').check();
      await page.getByLabel('Requests for approval').check();
    },
  },
  {
    name: 'integrations-networks',
    path: 'integrations',
    open: page => page.getByRole('button', { name: 'Edit networks…' }).click(),
  },
  { name: 'provider-new', path: 'integrations/providers/new' },
  { name: 'settings', path: 'settings' },
  { name: 'token', path: 'settings', open: row() },
  { name: 'token-new', path: 'settings/tokens/new' },
  { name: 'not-found', path: 'nowhere' },
  {
    name: 'palette',
    path: 'overview',
    open: async page => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('mar');
      await page.waitForTimeout(600);
    },
  },
  {
    name: 'key-help',
    path: 'overview',
    open: page =>
      page
        .locator('main h1')
        .click()
        .then(() => page.keyboard.press('?')),
  },
  { name: 'mine', path: 'mine', by: 'member' },
  { name: 'mine-overview', path: 'budgets', by: 'member' },
];

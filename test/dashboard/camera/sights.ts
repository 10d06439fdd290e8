import type { Page } from 'playwright-core';
import { act, dialog, row } from '../support/opening.js';

/** Something to photograph: an address, and what is pressed there first. */
export interface Sight {
  name: string;
  path: string;
  /** Who looks: an administrator unless told otherwise. */
  by?: 'admin' | 'member' | 'nobody';
  /** Whether the demo may not have it yet: anomalies are found some minutes after its start. */
  isLate?: boolean;
  /** Opens sheets, dialogs and menus. */
  open?: (page: Page) => Promise<unknown>;
}

/** Pages, then their sheets, forms and dialogs. */
export const SIGHTS: readonly Sight[] = [
  { name: 'sign-in', path: '', by: 'nobody' },
  { name: 'overview', path: 'overview' },
  { name: 'incidents', path: 'incidents' },
  { name: 'incidents-tickets', path: 'incidents?tab=tickets' },
  { name: 'incidents-nothing', path: 'incidents?severity=low&type=anomaly&status=resolved' },
  { name: 'incident', path: 'incidents', open: row('DeepSeek') },
  { name: 'incident-anomaly', path: 'incidents?type=anomaly&status=all', isLate: true, open: row() },
  { name: 'incident-resolve', path: 'incidents', open: dialog('DeepSeek', /^Resolve/) },
  { name: 'incident-ticket', path: 'incidents', open: dialog('DeepSeek', /ticket/i) },
  { name: 'ticket', path: 'incidents?tab=tickets', open: row() },
  { name: 'approvals', path: 'approvals' },
  { name: 'approval', path: 'approvals', open: row() },
  { name: 'policies', path: 'policies' },
  { name: 'policy', path: 'policies', open: row('Reasoning') },
  { name: 'policy-edit', path: 'policies', open: dialog('Reasoning', /^Edit/) },
  { name: 'policy-new', path: 'policies/new' },
  {
    name: 'policy-simulated',
    path: 'policies',
    open: async page => {
      await dialog('image models', /^Edit/)(page);
      await act(page, 'Run simulation').click();
      await act(page, 'Run again').scrollIntoViewIfNeeded();
    },
  },
  { name: 'budgets', path: 'budgets' },
  { name: 'budget', path: 'budgets', open: row('Marketing') },
  { name: 'budget-new', path: 'budgets/new' },
  { name: 'budget-delete', path: 'budgets', open: dialog('Research', /^Delete/) },
  { name: 'limits', path: 'limits' },
  { name: 'limit-new', path: 'limits/new' },
  { name: 'prices', path: 'prices' },
  { name: 'price-new', path: 'prices/new' },
  { name: 'prices-rerate', path: 'prices/rerate' },
  { name: 'usage', path: 'usage?range=30d' },
  { name: 'usage-by-user', path: 'usage?range=30d&by=user' },
  { name: 'decisions', path: 'decisions' },
  { name: 'decision', path: 'decisions', open: row('Block') },
  { name: 'audit', path: 'audit' },
  { name: 'audit-entry', path: 'audit', open: row('policy.update') },
  { name: 'users', path: 'users' },
  { name: 'user', path: 'users', open: row() },
  { name: 'user-offboard', path: 'users', open: dialog('', /^Offboard/) },
  { name: 'devices', path: 'devices' },
  { name: 'device-enroll', path: 'devices/new' },
  { name: 'webhooks', path: 'webhooks' },
  { name: 'webhook', path: 'webhooks', open: row('Chargeback') },
  { name: 'webhook-new', path: 'webhooks/new' },
  { name: 'integrations', path: 'integrations' },
  { name: 'connector', path: 'integrations', open: row('Jira') },
  { name: 'connector-failing', path: 'integrations', open: row('Service desk') },
  { name: 'connector-edit', path: 'integrations', open: dialog('Jira', 'Edit') },
  { name: 'connector-new', path: 'integrations/new' },
  {
    name: 'chat-new',
    path: 'integrations/chat/new',
    open: async page => {
      await page.getByLabel('Incidents').check();
      await page.getByLabel('Requests for approval').check();
    },
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

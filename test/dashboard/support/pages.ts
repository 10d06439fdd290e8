import type { Page } from 'playwright-core';
import { act, dialog, row, themes } from './opening.js';

/** A page to test: its address, what is opened on it, and an element that is visible when it is complete. */
export interface Sight {
  name: string;
  path: string;
  /** Opens a sheet, a form or a dialog. */
  open?: (page: Page) => Promise<unknown>;
  /** Accessible name of an element that is visible when the page has its data. */
  shows: string | RegExp;
}

const palette = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('person-1');
};

/** Opens the target of a button of the page. */
const press =
  (name: RegExp) =>
  (page: Page): Promise<void> =>
    page.getByRole('button', { name }).first().click();

const keyHelp = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
};

/** Changes a policy. The resulting toast stays while the pointer is over the toast. */
const toast = async (page: Page): Promise<void> => {
  await dialog('Watch the large model', /^(Disable|Enable)…/)(page);
  await act(page, /^(Disable|Enable)$/).click();
  await page.getByText(/^Policy “Watch/).hover();
};

const rotate = async (page: Page): Promise<void> => {
  await dialog('Relay', 'More')(page);
  await page.getByRole('menuitem', { name: /Rotate/ }).click();
};

/** All pages of the dashboard, then their sheets, forms, dialogs and menus. */
export const PAGES: readonly Sight[] = [
  { name: 'overview', path: 'overview', shows: 'Top movers' },
  { name: 'usage', path: 'usage?range=30d', shows: 'Breakdown' },
  { name: 'incidents', path: 'incidents', shows: 'No preview models' },
  // The detection may have found an anomaly in the usage of the stage by then. The list then has a head.
  { name: 'anomalies', path: 'incidents?tab=anomalies', shows: /^(No anomalies yet|Anomaly)$/ },
  { name: 'tickets', path: 'incidents?tab=tickets', shows: 'No tickets yet' },
  { name: 'approvals', path: 'approvals', shows: 'o3' },
  { name: 'decisions', path: 'decisions', shows: 'person-12@example.com' },
  { name: 'audit', path: 'audit', shows: 'Policy created' },
  { name: 'users', path: 'users', shows: 'Ada Marsh' },
  { name: 'policies', path: 'policies', shows: 'Never export' },
  { name: 'budgets', path: 'budgets', shows: 'Whole organization' },
  { name: 'prices', path: 'prices', shows: 'Unknown' },
  { name: 'limits', path: 'limits', shows: 'No limits yet' },
  { name: 'webhooks', path: 'webhooks', shows: '<b>Relay</b> مرحبا' },
  { name: 'integrations', path: 'integrations', shows: 'Service desk <one>' },
  { name: 'devices', path: 'devices', shows: 'No devices yet' },
  { name: 'settings', path: 'settings', shows: 'Fiscal year starts in' },
  { name: 'an address without a page', path: 'nowhere', shows: 'Page not found' },
  { name: 'a filter without a match', path: 'users?q=nobody-has-this', shows: 'No users match' },

  { name: 'new policy', path: 'policies/new', shows: 'Add condition' },
  { name: 'new price', path: 'prices/new', shows: 'Effective from' },
  { name: 'new budget', path: 'budgets/new', shows: 'Amount (USD)' },
  { name: 'new limit', path: 'limits/new', shows: 'Create limit' },
  { name: 'new webhook', path: 'webhooks/new', shows: 'Redirects are not followed' },
  { name: 'new connector', path: 'integrations/new', shows: 'Credentials' },
  { name: 'new chat', path: 'integrations/chat/new', shows: 'Requests for approval' },
  { name: 'new provider', path: 'integrations/providers/new', shows: 'provider’s root URL' },
  { name: 'enroll a device', path: 'devices/new', shows: 'Token expires after' },
  { name: 'new token', path: 'settings/tokens/new', shows: 'For example, ci-pipeline.' },

  { name: 'incident', path: 'incidents', open: row('No preview models'), shows: 'Timeline' },
  { name: 'hostile incident', path: 'incidents', open: row('🚨'), shows: 'Timeline' },
  { name: 'resolve an incident', path: 'incidents', open: dialog('🚨', /^Resolve/), shows: 'Cancel' },
  { name: 'approval', path: 'approvals', open: row(), shows: 'Request expires' },
  { name: 'approve', path: 'approvals', open: dialog('', /^Approve/), shows: 'Cancel' },
  { name: 'decision', path: 'decisions', open: row('🚨'), shows: 'Matched policies' },
  { name: 'audit entry', path: 'audit', open: row('Policy created'), shows: 'Sequence number' },
  { name: 'user', path: 'users', open: row('🚨'), shows: 'Pending approvals and grants' },
  { name: 'offboard', path: 'users', open: dialog('🚨', /^Offboard/), shows: 'Access ends on' },
  { name: 'policy', path: 'policies', open: row('🚨'), shows: 'History' },
  { name: 'edit policy', path: 'policies', open: dialog('🚨', /^Edit/), shows: 'Save changes' },
  { name: 'delete policy', path: 'policies', open: dialog('🚨', /^Delete/), shows: 'Cancel' },
  { name: 'budget', path: 'budgets', open: row('🚨'), shows: 'Current period' },
  { name: 'webhook', path: 'webhooks', open: row('Relay'), shows: 'Delivery log' },
  { name: 'webhook menu', path: 'webhooks', open: dialog('Relay', 'More'), shows: 'Delete' },
  { name: 'connector', path: 'integrations', open: row('Service desk'), shows: 'Run test' },
  { name: 'token', path: 'settings', open: row('first admin token'), shows: 'policies:write' },
  { name: 'import users', path: 'users/import', shows: 'Existing users' },
  { name: 'edit budget', path: 'budgets', open: dialog('🚨', /^Edit/), shows: 'Save changes' },
  { name: 'delete budget', path: 'budgets', open: dialog('🚨', /^Delete/), shows: 'Cancel' },
  { name: 're-rating', path: 'prices/rerate', shows: 'Last day, UTC' },
  { name: 'rotate a secret', path: 'webhooks', open: rotate, shows: 'Previous secret also signs' },
  { name: 'revoke a token', path: 'settings', open: dialog('first admin token', /^Revoke/), shows: 'Cancel' },
  { name: 'time range', path: 'decisions', open: press(/^Time range/), shows: 'Last 90 days' },
  { name: 'themes', path: 'users', open: themes, shows: /^(System|Switch to .* theme)$/ },
  { name: 'own menu', path: 'users', open: press(/^Signed in as/), shows: 'Sign out' },
  { name: 'keys', path: 'users', open: keyHelp, shows: 'Keyboard shortcuts' },
  { name: 'toast', path: 'policies', open: toast, shows: /^Policy “Watch/ },
  { name: 'palette', path: 'overview', open: palette, shows: 'person-1@example.com' },
];

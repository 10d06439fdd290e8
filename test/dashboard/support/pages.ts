/** A page to look at: its address, and what stands on it when it is complete. */
export interface Sight {
  name: string;
  path: string;
  /** Name of something that is there when the page has its data. */
  shows: string | RegExp;
}

/** All pages of the frame. */
export const PAGES: readonly Sight[] = [
  { name: 'overview', path: 'overview', shows: 'Needs attention' },
  { name: 'usage', path: 'usage?range=30d', shows: 'Breakdown' },
  { name: 'incidents', path: 'incidents', shows: 'No preview models' },
  { name: 'approvals', path: 'approvals', shows: 'o3' },
  { name: 'decisions', path: 'decisions', shows: 'person-12@example.com' },
  { name: 'audit', path: 'audit', shows: 'policy.create' },
  { name: 'users', path: 'users', shows: 'Ada Marsh' },
  { name: 'policies', path: 'policies', shows: 'Never export' },
  { name: 'new policy', path: 'policies/new', shows: 'Add condition' },
  { name: 'budgets', path: 'budgets', shows: 'Whole organization' },
  { name: 'prices', path: 'prices', shows: 'unknown' },
  { name: 'new price', path: 'prices/new', shows: 'Effective from' },
  { name: 'limits', path: 'limits', shows: 'No limits yet' },
  { name: 'webhooks', path: 'webhooks', shows: '<b>Relay</b> مرحبا' },
  { name: 'new webhook', path: 'webhooks/new', shows: 'Redirects are not followed' },
  { name: 'integrations', path: 'integrations', shows: 'Service desk <one>' },
  { name: 'new connector', path: 'integrations/new', shows: 'Credentials' },
  { name: 'new chat', path: 'integrations/chat/new', shows: 'Requests for approval' },
  { name: 'new provider', path: 'integrations/providers/new', shows: 'provider’s root URL' },
  { name: 'devices', path: 'devices', shows: 'No devices yet' },
  { name: 'enroll a device', path: 'devices/new', shows: 'Token expires after' },
  { name: 'settings', path: 'settings', shows: 'Fiscal year starts in' },
  { name: 'new token', path: 'settings/tokens/new', shows: 'For example, ci-pipeline.' },
];

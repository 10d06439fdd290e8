import type { LiveTopic } from '#core';
import { markPosition, SCHEMA } from '#database';
import { BUDGETS_TOPIC } from './budgets/organization-budgets.js';
import { LIMITS_TOPIC } from './limits/organization-limits.js';
import { PRICES_TOPIC } from './price-list/organization-prices.js';

// Every batch of usage marks its hours as changed. The deletion of processed marks also looks like a change to clients;
// that is harmless.
const USAGE = `
select count(*) || ' ' || coalesce(sum(touches), 0) from ${SCHEMA}.usage_touched_hours where org_id = $1`;

const OWN_USAGE = `
select count(*) || ' ' || coalesce(sum(u.requests), 0) from ${SCHEMA}.usage_daily u
where u.org_id = $1 and u.user_id = $2::text::uuid and u.day >= (
  select max(day) - 1 from ${SCHEMA}.usage_daily where org_id = $1 and user_id = $2::text::uuid)`;

/** Topics whose changes clients can follow: usage, budgets, limits and prices. */
export const LIVE_TOPICS: readonly LiveTopic[] = [
  {
    name: 'usage',
    scope: 'usage:read',
    position: USAGE,
    own: { scope: 'usage:read:own', position: OWN_USAGE },
  },
  { name: 'budgets', scope: 'budgets:read', position: markPosition(BUDGETS_TOPIC) },
  { name: 'limits', scope: 'budgets:read', position: markPosition(LIMITS_TOPIC) },
  { name: 'prices', scope: 'prices:read', position: markPosition(PRICES_TOPIC) },
];

import { mentions, type PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'usage_events',
    key: 't.id',
    where: 't.user_id = p.user_id',
  },
  {
    table: 'usage_daily',
    key: 'to_jsonb(t)',
    where: 't.user_id = p.user_id',
  },
  {
    table: 'usage_hourly',
    key: 'to_jsonb(t)',
    where: 't.user_id = p.user_id',
  },
  {
    table: 'budgets',
    key: 't.id',
    where: `t.user_id = p.user_id or ${mentions('t.match')}`,
  },
  {
    table: 'budget_overrides',
    key: 't.budget_id || t.part',
    where: 't.part = p.user_id::text',
  },
  {
    table: 'budget_windows',
    key: 'to_jsonb(t)',
    where: 't.part = p.user_id::text',
  },
  {
    table: 'reservations',
    key: 't.id',
    where: `t.user_id = p.user_id::text or ${mentions('t.about')}`,
  },
  {
    table: 'limits',
    key: 't.id',
    where: `t.user_id = p.user_id or ${mentions('t.match')}`,
  },
  {
    table: 'limit_counters',
    key: 't.limit_id || t.part',
    where: 't.part = p.user_id::text',
  },
  {
    table: 'limit_leases',
    key: 'to_jsonb(t)',
    where: 't.part = p.user_id::text',
  },
];

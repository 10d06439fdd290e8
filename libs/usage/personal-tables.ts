import { mentions, scrubbed, scrubbedJson, type Erasure, type PersonalTable } from '#database';
import { BUDGETS_TOPIC } from './budgets/organization-budgets.js';
import { LIMITS_TOPIC } from './limits/organization-limits.js';

const SUMS: Erasure = { keep: 'Reports and budgets add it up under the id of the user.' };

/** Replaces personal data in the texts of a budget or limit when a person is erased. */
const BOUND: Erasure = { set: { name: scrubbed('t.name'), match: scrubbedJson('t.match') } };
const IS_BOUND = `t.user_id = p.user_id or ${mentions('t.match')} or ${mentions('t.name')}`;

/** Tables of this library with personal data. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'usage_events',
    key: 't.id',
    where: `t.user_id = p.user_id or ${mentions("concat_ws(' ', t.project, t.tags, t.metadata)")}`,
    erase: {
      set: {
        project: scrubbed('t.project'),
        tags: scrubbedJson('t.tags'),
        // Arbitrary data that the reporting program has added, such as addresses, session ids and prompts.
        metadata: `case when t.user_id = p.user_id then null else ${scrubbedJson('t.metadata')} end`,
      },
    },
  },
  {
    table: 'usage_attributions',
    key: 't.id',
    where: `${mentions('t.project')} or ${mentions('t.tags')}`,
    erase: { set: { project: scrubbed('t.project'), tags: scrubbedJson('t.tags') } },
  },
  {
    table: 'usage_dimension_values',
    key: "t.dimension || ' ' || t.value",
    where: mentions('t.value'),
    erase: 'delete',
  },
  {
    table: 'usage_daily',
    key: 'to_jsonb(t)',
    where: 't.user_id = p.user_id',
    erase: SUMS,
  },
  {
    table: 'usage_hourly',
    key: 'to_jsonb(t)',
    where: 't.user_id = p.user_id',
    erase: SUMS,
  },
  {
    table: 'budgets',
    key: 't.id',
    where: IS_BOUND,
    topic: BUDGETS_TOPIC,
    erase: BOUND,
  },
  {
    table: 'budget_overrides',
    key: 't.budget_id || t.part',
    where: 't.part = p.user_id::text',
    erase: SUMS,
  },
  {
    table: 'budget_windows',
    key: 'to_jsonb(t)',
    where: 't.part = p.user_id::text',
    erase: SUMS,
  },
  {
    table: 'budget_former_amounts',
    key: 'to_jsonb(t)',
    where: 't.part = p.user_id::text',
    erase: SUMS,
  },
  {
    table: 'budget_alerts',
    key: 'to_jsonb(t)',
    where: 't.part = p.user_id::text',
    erase: SUMS,
  },
  {
    table: 'reservations',
    key: 't.id',
    where: `t.user_id = p.user_id::text or ${mentions('t.about')}`,
    erase: { set: { about: scrubbedJson('t.about') } },
  },
  {
    table: 'limits',
    key: 't.id',
    where: IS_BOUND,
    topic: LIMITS_TOPIC,
    erase: BOUND,
  },
  {
    table: 'limit_counters',
    key: 't.limit_id || t.part',
    where: 't.part = p.user_id::text',
    erase: SUMS,
  },
  {
    table: 'limit_leases',
    key: 'to_jsonb(t)',
    where: 't.part = p.user_id::text',
    erase: SUMS,
  },
];

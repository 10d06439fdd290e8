import { mentions, type PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'decisions',
    key: 't.id',
    where: 't.user_id = p.user_id::text',
  },
  {
    table: 'approvals',
    key: 't.id',
    where: `t.user_id = p.user_id::text or ${mentions('t.decided_by')}`,
  },
  {
    table: 'policy_versions',
    key: "t.policy_id || ' ' || lpad(t.version::text, 10, '0')",
    where: `${mentions('t.changed_by')} or ${mentions('t.content')}`,
  },
  {
    table: 'policies',
    key: 't.id',
    where: mentions('t.conditions'),
  },
];

import { mentions, type PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'access_tokens',
    key: 't.id',
    where: 't.user_id = p.user_id or p.user_id::text = any (t.issued_by) or p.user_id = any (t.ends_with_users)',
    omit: ['token_hash', 'previous_hash'],
  },
  {
    table: 'identities',
    key: 't.id',
    where: 't.user_id = p.user_id',
  },
  {
    table: 'audit_log',
    key: "lpad(t.seq::text, 20, '0')",
    where: `t.actor_user_id = p.user_id or ${mentions('t.actor_id')} or t.resource_id = p.user_id::text or ${mentions('t.before')} or ${mentions('t.after')}`,
    omit: ['prev_hash', 'hash'],
  },
];

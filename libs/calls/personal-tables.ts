import type { PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'open_calls',
    key: 't.id',
    where: 't.user_id = p.user_id or lower(t.user_email) = any (p.emails)',
    // The end of the call reports its usage for the id.
    erase: { set: { user_id: 'coalesce(t.user_id, p.user_id)', user_email: 'null' } },
  },
];

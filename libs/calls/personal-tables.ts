import type { PersonalTable } from '#database';

/** Tables of this library with personal data. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'open_calls',
    key: 't.id',
    where: 't.user_id = p.user_id or lower(t.user_email) = any (p.emails)',
    // The usage of the call is reported for this id when the call ends, so the id stays.
    erase: { set: { user_id: 'coalesce(t.user_id, p.user_id)', user_email: 'null' } },
  },
];

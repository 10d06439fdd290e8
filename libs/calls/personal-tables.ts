import type { PersonalTable } from '#database';

/** Tables of this library with personal data. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'open_calls',
    key: 't.id',
    where: 't.user_id = p.user_id or lower(t.user_email) = any (p.emails)',
    // When the call ends, its usage is reported for this id.
    erase: { set: { user_id: 'coalesce(t.user_id, p.user_id)', user_email: 'null' } },
  },
];

import type { PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'open_calls',
    key: 't.id',
    where: 't.user_id = p.user_id or lower(t.user_email) = p.email',
  },
];

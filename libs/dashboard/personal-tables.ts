import { mentions, type PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'dashboard_sessions',
    key: 't.id',
    where: `t.user_id = p.user_id or ${mentions('t.identity')}`,
    omit: ['secret_hash'],
  },
];

import type { PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'users',
    key: 't.id',
    where: 't.id = p.user_id',
  },
  {
    table: 'scim_users',
    key: 't.user_id',
    where: 't.user_id = p.user_id',
  },
  {
    table: 'scim_emails',
    key: 't.email_key',
    where: 't.user_id = p.user_id',
  },
  {
    table: 'scim_group_members',
    key: 't.group_id',
    where: 't.user_id = p.user_id',
  },
];

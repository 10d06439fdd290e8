import { mentions, type PersonalTable } from '#database';

/** Tables of this library with personal data. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'dashboard_sessions',
    key: 't.id',
    where: `t.user_id = p.user_id or ${mentions('t.identity')}`,
    omit: ['secret_hash'],
    names: 'case when t.user_id = p.user_id then array[t.name] end',
    erase: 'delete',
  },
  {
    table: 'dashboard_sign_in_links',
    key: 't.id',
    where: `t.token_id in (
      select k.id from governance.access_tokens k where k.org_id = t.org_id and k.user_id = p.user_id)`,
    omit: ['code_hash'],
    erase: 'delete',
  },
];

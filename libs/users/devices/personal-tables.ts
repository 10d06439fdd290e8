import type { PersonalTable } from '#database';

/** What is kept about the devices of a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'devices',
    key: 't.id',
    where: 't.user_id = p.user_id',
  },
  {
    table: 'device_enrollments',
    key: 't.id',
    where: 't.user_id = p.user_id',
    omit: ['token_hash'],
  },
  {
    table: 'device_certificates',
    key: 't.serial',
    where: 't.device_id in (select d.id from governance.devices d where d.org_id = t.org_id and d.user_id = p.user_id)',
    omit: ['certificate', 'spki'],
  },
];

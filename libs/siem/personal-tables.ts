import { mentions, scrubbedJson, type PersonalTable } from '#database';

/** Tables of this library with personal data. Their rows exist until the SIEM has accepted them. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'siem_records',
    key: 't.id',
    where: mentions('t.data'),
    erase: { set: { data: scrubbedJson('t.data') } },
  },
];

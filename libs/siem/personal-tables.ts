import { mentions, scrubbedJson, type PersonalTable } from '#database';

/** Tables of this library with personal data, until the SIEM has accepted it. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'siem_records',
    key: 't.id',
    where: mentions('t.data'),
    erase: { set: { data: scrubbedJson('t.data') } },
  },
];

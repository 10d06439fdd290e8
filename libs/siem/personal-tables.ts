import { mentions, scrubbedJson, type PersonalTable } from '#database';

/** What this library keeps about a person, until the SIEM has accepted it. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'siem_records',
    key: 't.id',
    where: mentions('t.data'),
    erase: { set: { data: scrubbedJson('t.data') } },
  },
];

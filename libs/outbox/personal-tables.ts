import { mentions, type PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'events',
    key: 't.id',
    where: mentions("convert_from(t.body, 'UTF8')"),
    show: `jsonb_build_object('id', t.id, 'type', t.type, 'body', convert_from(t.body, 'UTF8')::jsonb)`,
  },
  {
    table: 'tasks',
    key: 't.id',
    where: mentions('t.subject'),
  },
];

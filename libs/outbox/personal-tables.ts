import { mentions, scrubbedJson, type PersonalTable } from '#database';

const BODY = "convert_from(t.body, 'UTF8')";

/** Tables of this library with personal data. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'events',
    key: 't.id',
    where: mentions(BODY),
    show: `jsonb_build_object('id', t.id, 'type', t.type, 'body', ${BODY}::jsonb)`,
    // A delivery that is still waiting is later sent without the personal data.
    erase: {
      set: {
        body: `case when ${BODY} ~* p.names then convert_to(${scrubbedJson(`${BODY}::jsonb`)}::text, 'UTF8') else t.body end`,
      },
    },
  },
  {
    table: 'tasks',
    key: 't.id',
    where: `${mentions('t.subject')} or ${mentions('t.fault')}`,
    erase: { set: { subject: scrubbedJson('t.subject') } },
  },
];

import type { PersonalTable } from '#database';

/** Tables of this library with personal data. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'webhook_attempts',
    key: 't.id',
    // Receivers may repeat the event, with its personal data, in their answer.
    where: `exists (select from unnest(p.emails) e
      where position(convert_to(e, 'UTF8') in t.response_body) > 0 or position(e in t.headers) > 0)`,
    omit: ['response_body', 'headers'],
    erase: { set: { response_body: 'null', headers: 'null' } },
  },
];

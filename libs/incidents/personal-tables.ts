import { mentions, scrubbed, scrubbedJson, scrubbedStamp, type PersonalTable } from '#database';

const IS_OWN = 't.user_id = p.user_id::text or lower(t.user_email) = any (p.emails)';

/** Tables of this library with personal data. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'incidents',
    key: 't.id',
    where: `${IS_OWN} or ${mentions('t.acknowledged_by')} or ${mentions('t.resolved_by')} or ${mentions('t.details')} or ${mentions('t.resolution')}`,
    erase: {
      set: {
        user_email: `case when ${IS_OWN} then null else t.user_email end`,
        details: scrubbedJson('t.details'),
        acknowledged_by: scrubbedStamp('t.acknowledged_by'),
        resolved_by: scrubbedStamp('t.resolved_by'),
        resolution: scrubbed('t.resolution'),
      },
    },
  },
  {
    table: 'incident_entries',
    key: 't.id',
    where: `${mentions('t.actor')} or ${mentions('t.data')}`,
    erase: { set: { actor: scrubbedStamp('t.actor'), data: scrubbedJson('t.data') } },
  },
];

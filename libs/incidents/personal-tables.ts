import { mentions, type PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'incidents',
    key: 't.id',
    where: `t.user_id = p.user_id::text or ${mentions('t.acknowledged_by')} or ${mentions('t.resolved_by')} or ${mentions('t.details')}`,
  },
  {
    table: 'incident_entries',
    key: 't.id',
    where: `${mentions('t.actor')} or ${mentions('t.data')}`,
  },
];

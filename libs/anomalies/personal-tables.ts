import { mentions, type PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'anomalies',
    key: 't.id',
    where: `t.user_id = p.user_id or ${mentions('t.feedback_by')}`,
  },
  {
    table: 'anomaly_people',
    key: 't.user_id',
    where: 't.user_id = p.user_id',
  },
];

import { mentions, scrubbed, scrubbedStamp, type PersonalTable } from '#database';

/** Tables of this library with personal data. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'anomalies',
    key: 't.id',
    where: `t.user_id = p.user_id or ${mentions('t.feedback_by')} or ${mentions('t.feedback_note')}`,
    erase: {
      set: {
        user_email: 'case when t.user_id = p.user_id then null else t.user_email end',
        feedback_note: `case when t.user_id = p.user_id then null else ${scrubbed('t.feedback_note')} end`,
        feedback_by: scrubbedStamp('t.feedback_by'),
      },
    },
  },
  {
    // The profile of a person's habits.
    table: 'anomaly_people',
    key: 't.user_id',
    where: 't.user_id = p.user_id',
    erase: 'delete',
  },
];

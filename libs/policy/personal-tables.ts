import { mentions, scrubbed, scrubbedJson, scrubbedStamp, type PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'decisions',
    key: 't.id',
    where: 't.user_id = p.user_id::text or lower(t.user_email) = any (p.emails)',
    erase: {
      set: {
        user_email: 'null',
        reason: scrubbed('t.reason'),
        attributes: scrubbedJson('t.attributes'),
        request: scrubbedJson('t.request'),
      },
    },
  },
  {
    table: 'approvals',
    key: 't.id',
    where: `t.user_id = p.user_id::text or lower(t.user_email) = any (p.emails) or ${mentions('t.decided_by')}`,
    erase: {
      set: {
        user_email: `case when t.user_id = p.user_id::text or lower(t.user_email) = any (p.emails) then null else t.user_email end`,
        decided_by: scrubbedStamp('t.decided_by'),
        // Free text about the person, or by the person.
        reason: 'null',
      },
    },
  },
  {
    table: 'policy_versions',
    key: "t.policy_id || ' ' || lpad(t.version::text, 10, '0')",
    where: `${mentions('t.changed_by')} or ${mentions('t.content')}`,
    erase: { set: { changed_by: scrubbedStamp('t.changed_by'), content: scrubbedJson('t.content') } },
  },
  {
    table: 'policies',
    key: 't.id',
    where: `${mentions('t.conditions')} or ${mentions('t.name')} or ${mentions('t.description')}`,
    erase: {
      set: {
        name: scrubbed('t.name'),
        description: scrubbed('t.description'),
        conditions: scrubbedJson('t.conditions'),
      },
    },
  },
];

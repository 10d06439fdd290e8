import { mentions, scrubbed, scrubbedJson, scrubbedStamp, type PersonalTable } from '#database';
import { POLICIES_TOPIC } from './policy.topic.js';

const IS_OWN = 't.user_id = p.user_id::text or lower(t.user_email) = any (p.emails)';

/** Tables of this library with personal data. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'decisions',
    key: 't.id',
    // Decisions about other people may mention the person too: in names of policies and budgets, operands of
    // conditions, and tags.
    where: `${IS_OWN} or ${mentions("concat_ws(' ', t.policies, t.spend, t.attributes, t.request)")}`,
    erase: {
      set: {
        user_email: `case when ${IS_OWN} then null else t.user_email end`,
        reason: scrubbed('t.reason'),
        policies: scrubbedJson('t.policies'),
        spend: scrubbedJson('t.spend'),
        attributes: scrubbedJson('t.attributes'),
        request: scrubbedJson('t.request'),
      },
    },
  },
  {
    table: 'approvals',
    key: 't.id',
    where: `${IS_OWN} or ${mentions('t.decided_by')} or ${mentions('t.reason')} or ${mentions('t.policy_name')}`,
    erase: {
      set: {
        user_email: `case when ${IS_OWN} then null else t.user_email end`,
        decided_by: scrubbedStamp('t.decided_by'),
        policy_name: scrubbed('t.policy_name'),
        // Removes free text that is about the person or written by the person. In other texts, removes only parts that
        // mention the person.
        reason: `case when ${IS_OWN} or ${mentions('t.decided_by')} then null else ${scrubbed('t.reason')} end`,
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
    topic: POLICIES_TOPIC,
    erase: {
      set: {
        name: scrubbed('t.name'),
        description: scrubbed('t.description'),
        conditions: scrubbedJson('t.conditions'),
      },
    },
  },
];

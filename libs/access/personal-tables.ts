import { mentions, scrubbed, scrubbedJson, scrubbedList, type PersonalTable } from '#database';
import { TOKENS_TOPIC } from './tokens/tokens.topic.js';

/** The personal data that this library stores. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'access_tokens',
    key: 't.id',
    where: `t.user_id = p.user_id or p.user_id::text = any (t.issued_by) or p.user_id = any (t.ends_with_users) or ${mentions('t.name')}`,
    omit: ['token_hash', 'previous_hash'],
    topic: TOKENS_TOPIC,
    acts: 'case when t.user_id = p.user_id then array[t.id::text] end',
    names: 'case when t.user_id = p.user_id then array[t.name] end',
    erase: {
      set: {
        name: `case when t.user_id = p.user_id then 'Erased token' else ${scrubbed('t.name')} end`,
        issued_by: `coalesce(${scrubbedList('t.issued_by')}, '{}')`,
        project: scrubbed('t.project'),
        tags: scrubbedJson('t.tags'),
      },
    },
  },
  {
    table: 'identities',
    key: 't.id',
    where: 't.user_id = p.user_id',
    acts: "array[t.issuer || '#' || t.subject]",
    names: 'array[t.subject]',
    erase: 'delete',
  },
  {
    table: 'audit_log',
    key: "lpad(t.seq::text, 20, '0')",
    where: `t.actor_user_id = p.user_id or ${mentions('t.actor_id')} or ${mentions('t.resource_id')} or ${mentions('t.before')} or ${mentions('t.after')}`,
    omit: ['prev_hash', 'hash', 'salt', 'commitment'],
    // Every e-mail address that a change of the user has replaced.
    addresses: `case when t.resource_type = 'user' and t.resource_id = p.user_id::text
      then array[lower(t.before ->> 'email'), lower(t.after ->> 'email')] end`,
    names: `case when t.resource_type = 'user' and t.resource_id = p.user_id::text
      then array[t.before ->> 'name', t.after ->> 'name', t.before -> 'scim' ->> 'user_name',
        t.after -> 'scim' ->> 'user_name', t.before -> 'scim' ->> 'external_id', t.after -> 'scim' ->> 'external_id'] end`,
    erase: { by: 'AuditRedactor' },
  },
];

import { mentions, scrubbed, type PersonalTable } from '#database';

/** Values of custom attributes that may identify a person. Plain words such as `engineering` are excluded. */
const ATTRIBUTES = `array(select a.value from jsonb_each_text(t.attributes) a where a.value !~ '^[a-z_]{0,40}$')`;

/** Names and numbers of a person that an identity provider has sent. */
const SCIM_NAMES = `array[t.user_name, t.external_id, t.profile ->> 'displayName', t.profile ->> 'nickName',
  t.profile -> 'name' ->> 'formatted', t.profile ->> 'profileUrl'] || array(
  select v ->> 'value' from jsonb_path_query(t.profile, '$.phoneNumbers[*]') v) || array(
  select v #>> '{}' from jsonb_path_query(t.profile, '$.*.employeeNumber') v)`;

/** The personal data that this library stores. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'users',
    key: 't.id',
    where: 't.id = p.user_id',
    addresses: 'array[t.email_key]',
    names: `array[t.name] || ${ATTRIBUTES}`,
    erase: { by: 'UserErasure' },
  },
  {
    // A row of another user, whose reason of departure mentions this person. No other column of the row is about this
    // person.
    table: 'users',
    key: 't.id',
    where: `t.id <> p.user_id and ${mentions('t.departure_reason')}`,
    show: "jsonb_build_object('id', t.id, 'departure_reason', t.departure_reason)",
    erase: { set: { departure_reason: scrubbed('t.departure_reason') } },
  },
  {
    table: 'scim_users',
    key: 't.user_id',
    where: 't.user_id = p.user_id',
    addresses: "t.other_email_keys || case when t.user_name_key like '%@%' then t.user_name_key end",
    names: SCIM_NAMES,
    erase: {
      set: {
        ...{ user_name: 'null', user_name_key: 'null', external_id: 'null', other_email_keys: `'{}'::text[]` },
        ...{ department: 'null', assigned_department: 'null', profile: `'{}'::jsonb` },
      },
    },
    isLast: true,
  },
  {
    table: 'scim_emails',
    key: 't.email_key',
    where: 't.user_id = p.user_id',
    erase: 'delete',
    isLast: true,
  },
  {
    table: 'scim_group_members',
    key: 't.group_id',
    where: 't.user_id = p.user_id',
    erase: 'delete',
    isLast: true,
  },
];

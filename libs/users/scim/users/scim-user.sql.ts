import { SCHEMA } from '#database';
import { USERS_TOPIC } from '../../users.topic.js';

/** Whether another user has a name. `$2` is the name in lower case, `$3` the id of the user to exclude. */
export const NAME_TAKEN = `
select 1 from ${SCHEMA}.users u left join ${SCHEMA}.scim_users s on s.org_id = u.org_id and s.user_id = u.id
where u.org_id = $1 and s.deleted_at is null and coalesce(s.user_name_key, u.email_key) = $2 and u.id <> $3
  and u.id in (select k.id from ${SCHEMA}.users k where k.org_id = $1 and k.email_key = $2
    union all select k.user_id from ${SCHEMA}.scim_users k where k.org_id = $1 and k.user_name_key = $2)
limit 1`;

/** Those of the names in `$2` (in lower case) that some user has according to the identity provider's data. */
export const NAMES_SAID = `
select s.user_name_key as name from ${SCHEMA}.scim_users s
where s.org_id = $1 and s.user_name_key = any($2::text[]) and s.deleted_at is null`;

/** The removed user with an e-mail address: the user whom the identity provider has removed. */
export const REMOVED_WITH_EMAIL = `
select u.id from ${SCHEMA}.users u join ${SCHEMA}.scim_users s on s.org_id = u.org_id and s.user_id = u.id
where u.org_id = $1 and u.email_key = $2 and s.deleted_at is not null`;

/** Sets the versions of a user's groups to the current version. `$3` is the current time. */
export const RAISE_GROUPS_OF = `
update ${SCHEMA}.scim_groups g set updated_at = $3,
  version = (select c.version from ${SCHEMA}.change_marks c where c.org_id = $1 and c.topic = '${USERS_TOPIC}')
where g.org_id = $1 and g.id in (
  select m.group_id from ${SCHEMA}.scim_group_members m where m.org_id = $1 and m.user_id = $2)`;

/** Removes a user from every group. */
export const LEAVE_ALL_GROUPS = `delete from ${SCHEMA}.scim_group_members where org_id = $1 and user_id = $2`;

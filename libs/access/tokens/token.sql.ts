/** Whether the token `t` is valid: not revoked, and not ended together with a token that created it. */
export const HOLDS = `t.revoked_at is null and not exists (
  select from governance.access_tokens m
  where m.org_id = t.org_id and m.id = any (t.ends_with_tokens) and m.revoked_at is not null)`;

/** `$1` organization, `$2` token. Counts the tokens that end when this token is revoked. */
export const ENDING_WITH = `
select count(*)::float8 as count from governance.access_tokens t
where t.org_id = $1 and t.ends_with_tokens @> array[$2::uuid] and t.revoked_at is null`;

/** `$1` organization, `$2` creator. Locks the tokens in the order of their ids, to avoid deadlocks. */
export const TOKENS_TO_REVOKE = `
select t.id from governance.access_tokens t
where t.org_id = $1 and ${HOLDS} and t.issued_by @> array[$2::text] order by t.id for update`;

const MACHINES = `
from governance.access_tokens t
where t.org_id = $1 and t.role in ('agent', 'scim') and t.issued_by @> array[$2::text]
  and (t.revoked_at = $3::timestamptz or (${HOLDS}))`;

/** `$1` organization, `$2` creator, `$3` time of a change that may have revoked tokens. */
export const MACHINE_TOKENS = `select 1 ${MACHINES}`;

/** Parameters as in {@link MACHINE_TOKENS}, and `$4` limit. */
export const MACHINE_TOKEN_IDS = `select t.id ${MACHINES} order by t.id desc limit $4`;

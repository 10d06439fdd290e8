import type { EntityManager } from '@mikro-orm/postgresql';
import { SCHEMA, sqlOf } from '#database';

/** Minimum length of an id that is abbreviated to a prefix. */
export const REFERENCE_MIN = 8;

const DIGITS = 32;

// Searches a range of the primary key: ids with the same prefix are adjacent in it.
const FIND = `
select id from ${SCHEMA}.incidents
where org_id = $1 and id >= $2::uuid and id <= $3::uuid and ($4::text is null or user_id = $4) order by id limit 2`;

const NEIGHBOURS = `
select i.id,
  (select n.id from ${SCHEMA}.incidents n where n.org_id = $1 and n.id < i.id order by n.id desc limit 1) as before,
  (select n.id from ${SCHEMA}.incidents n where n.org_id = $1 and n.id > i.id order by n.id limit 1) as after
from unnest($2::uuid[]) as i (id)`;

/** Result of looking up an abbreviated id: one incident, none, several, or an invalid reference. */
export type ResolvedReference = { readonly id: string } | 'none' | 'several' | 'malformed';

/** Finds an incident by its id or a prefix of it. `ofUser` restricts the search to incidents of that user. */
export async function resolveReference(
  em: EntityManager,
  orgId: string,
  written: string,
  ofUser: string | undefined,
): Promise<ResolvedReference> {
  const digits = written.toLowerCase().replaceAll(/[^0-9a-z]/g, '');
  if (!/^[0-9a-f]{8,32}$/.test(digits)) return 'malformed';
  const range = [digits.padEnd(DIGITS, '0'), digits.padEnd(DIGITS, 'f')];
  const [found, another] = await sqlOf(em).query<{ id: string }>(FIND, [orgId, ...range, ofUser ?? null]);
  if (!found) return 'none';
  return another ? 'several' : { id: found.id };
}

/** The shortest unique prefix of each id, at least 8 characters. */
export async function shortReferences(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sqlOf(em).query<{ id: string; before: string | null; after: string | null }>(NEIGHBOURS, [
    orgId,
    `{${ids.join(',')}}`,
  ]);
  return new Map(rows.map(({ id, before, after }) => [id, shorten(id, [before, after])]));
}

/** Comparing an id with its neighbors in sort order is enough, because these share the longest prefix with it. */
export function shorten(id: string, neighbours: readonly (string | null)[]): string {
  const shared = Math.max(0, ...neighbours.map(other => (other === null ? 0 : sharedLength(id, other))));
  const length = Math.max(REFERENCE_MIN, shared + 1);
  // A prefix must not end in a dash: all ids have a dash at that position.
  return id.slice(0, id[length - 1] === '-' ? length + 1 : length);
}

function sharedLength(id: string, other: string): number {
  let at = 0;
  while (at < id.length && id[at] === other[at]) at++;
  return at;
}

import type { ConfigurationKinds } from '#configuration';
import { BadRequestError, type JsonObject } from '#core';
import { isObject } from './secret-values.js';

const POLICIES = 'policies';

/** A routing. Its policies are ids, or names as in files. */
interface Listing {
  readonly policies?: readonly string[];
}

/** Policies that an entry names, and the place where it names them. */
export interface NamedPolicies {
  /** The path of the list within the entry. */
  readonly field: string;
  readonly names: readonly string[];
}

/**
 * Splits a routing into the part that requests can contain, and the names of its policies. A routing whose policies
 * were all deleted matches nothing.
 */
export function withoutPolicies(routing: unknown, at: string): [unknown, NamedPolicies | undefined] {
  if (!isObject(routing) || routing[POLICIES] === undefined) return [routing, undefined];
  const { policies, ...others } = routing;
  const field = `${at}.${POLICIES}`;
  if (!Array.isArray(policies) || !policies.every(name => typeof name === 'string')) {
    throw BadRequestError.field(field, 'must be a list of names of policies');
  }
  return [others, { field, names: policies }];
}

/** The policies that an entry refers to. */
export function refersTo(named: NamedPolicies | undefined): { kind: string; name: string; field: string }[] {
  return (named?.names ?? []).map(name => ({ kind: POLICIES, name, field: named?.field ?? '' }));
}

/**
 * Replaces the policies in routings by their names. Leaves out deleted policies. Reads the policies only if a routing
 * lists some.
 */
export async function withNames(
  kinds: ConfigurationKinds,
  orgId: string,
  routings: readonly (Listing | undefined)[],
): Promise<(routing: JsonObject & Listing) => JsonObject> {
  const isNeeded = routings.some(routing => routing?.policies !== undefined);
  const names = isNeeded ? await policiesOf(kinds, orgId, 'id', 'name') : new Map<string, string>();
  return ({ policies, ...others }) => {
    return { ...others, ...(policies && { policies: policies.flatMap(id => names.get(id) ?? []) }) };
  };
}

/** Returns the ids of policies by their names. @throws BadRequestError if no policy has one of the names */
export async function idsOf(
  kinds: ConfigurationKinds,
  orgId: string,
  { field, names }: NamedPolicies,
): Promise<string[]> {
  const ids = await policiesOf(kinds, orgId, 'name', 'id');
  return names.map(name => {
    const id = ids.get(name);
    if (id === undefined) throw BadRequestError.field(field, `there is no policy ${JSON.stringify(name)}`);
    return id;
  });
}

async function policiesOf(
  kinds: ConfigurationKinds,
  orgId: string,
  from: 'id' | 'name',
  to: 'id' | 'name',
): Promise<Map<string, string>> {
  const all = (await kinds.named(POLICIES)?.list(orgId)) ?? [];
  return new Map(all.map(policy => [policy[from], policy[to]]));
}

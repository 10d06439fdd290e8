import type { FieldError } from '#core';
import type { ConfigurationKind, ConfigurationObject, WantedObject } from '../kinds/configuration-kind.port.js';
import { differences, type FieldChange } from './differences.js';

/**
 * The outcome for an object. `unlisted`: the document does not contain the object, and it stays unchanged because
 * `prune` was not set.
 */
export const OUTCOMES = ['created', 'changed', 'unchanged', 'pruned', 'unlisted'] as const;

/** One of {@link OUTCOMES}. */
export type Outcome = (typeof OUTCOMES)[number];

/** The stored and the wanted objects of one kind that a file names. */
export interface KindState {
  readonly kind: ConfigurationKind;
  readonly stored: readonly ConfigurationObject[];
  readonly wanted: readonly WantedObject[];
  /** Names of changed secrets, by name of the object. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
}

/** The change to make to one object. */
export interface Step {
  readonly kind: ConfigurationKind;
  readonly name: string;
  readonly outcome: Outcome;
  /** Id of the object; null if the object is to be created. */
  readonly id: string | null;
  /** The wanted object; null if the file does not contain it. */
  readonly wanted: WantedObject | null;
  readonly changes: readonly FieldChange[];
}

/** Shown in place of a secret. */
const SECRET = '(secret)';

/** The steps for one kind, in the order of the file. Objects that the file does not contain come last. */
export function stepsOf({ kind, stored, wanted, secrets }: KindState, prune: boolean): Step[] {
  const known = new Map(stored.map(object => [object.name, object]));
  const named = new Set(wanted.map(({ name }) => name));
  const steps = wanted.map((object): Step => {
    const { name } = object;
    const found = known.get(name);
    if (!found) return { kind, name, outcome: 'created', id: null, wanted: object, changes: [] };
    const other = (secrets.get(name) ?? []).map(secret => ({ field: `secrets.${secret}`, from: SECRET, to: SECRET }));
    const changes = [...differences(found.fields, object.fields), ...other];
    return { kind, name, outcome: changes.length > 0 ? 'changed' : 'unchanged', id: found.id, wanted: object, changes };
  });
  const left = stored.filter(({ name }) => !named.has(name));
  const outcome = prune && !kind.isSingle ? 'pruned' : 'unlisted';
  return [...steps, ...left.map(({ id, name }): Step => ({ kind, name, outcome, id, wanted: null, changes: [] }))];
}

/** Errors about fields that a step would change although they must not change. */
export function fixedFaults({ kind, changes }: Step): FieldError[] {
  return changes
    .filter(({ field }) => kind.fixed.some(name => field === name || field.startsWith(`${name}.`)))
    .map(({ field }) => ({
      field,
      message: 'cannot be changed; give the new object another name, and prune this one',
    }));
}

/** Names that more than one object has. */
export function repeatedNames(objects: readonly { readonly name: string }[]): string[] {
  const seen = new Set<string>();
  const repeated = objects.filter(({ name }) => seen.size === seen.add(name).size);
  return [...new Set(repeated.map(({ name }) => name))];
}

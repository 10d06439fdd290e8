import { BadRequestError, type FieldError } from '#core';
import type { ConfigurationKind, ConfigurationKinds, WantedObject } from './kinds/configuration-kind.port.js';
import { repeatedNames } from './plan/plan.js';

/** Version of the format of configuration files. */
export const CONFIGURATION_VERSION = 1;

/** The entries of one kind in a file. */
export interface KindEntries {
  readonly kind: ConfigurationKind;
  readonly entries: readonly unknown[];
}

/**
 * The kinds that a document names, in the order in which they are applied.
 * @throws BadRequestError naming every unknown or malformed key
 */
export function entriesOf(document: unknown, kinds: ConfigurationKinds): KindEntries[] {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw BadRequestError.field('body', 'must be an object with a version and kinds of configuration');
  }
  const { version, ...rest } = document as Readonly<Record<string, unknown>>;
  const faults: FieldError[] = [];
  if (version !== CONFIGURATION_VERSION) {
    faults.push({ field: 'version', message: `must be ${CONFIGURATION_VERSION}` });
  }
  for (const [key, value] of Object.entries(rest)) {
    const kind = kinds.named(key);
    const known = kinds.all.map(each => each.kind).join(', ');
    if (!kind) faults.push({ field: key, message: `is not a kind of configuration; the kinds are ${known}` });
    else if (!kind.isSingle && !Array.isArray(value)) faults.push({ field: key, message: 'must be a list' });
  }
  if (faults.length > 0) throw BadRequestError.fields(faults);
  return kinds.all.flatMap(kind => {
    const value = rest[kind.kind];
    if (value === undefined) return [];
    return [{ kind, entries: Array.isArray(value) ? value : [value] }];
  });
}

/**
 * Checks all entries of the kinds.
 * @throws BadRequestError naming every invalid field by its place in the document
 */
export async function readEntries(
  orgId: string,
  all: readonly KindEntries[],
): Promise<Map<ConfigurationKind, WantedObject[]>> {
  const faults: FieldError[] = [];
  const read = new Map<ConfigurationKind, WantedObject[]>();
  for (const { kind, entries } of all) {
    const wanted: WantedObject[] = [];
    for (const [at, entry] of entries.entries()) {
      try {
        wanted.push(await kind.read(orgId, entry));
      } catch (error) {
        if (!(error instanceof BadRequestError)) throw error;
        faults.push(...placed(error, kind.isSingle ? kind.kind : `${kind.kind}[${at}]`));
      }
    }
    for (const name of repeatedNames(wanted)) {
      faults.push({ field: kind.kind, message: `has several entries named ${JSON.stringify(name)}` });
    }
    read.set(kind, wanted);
  }
  if (faults.length > 0) throw BadRequestError.fields(faults);
  return read;
}

/** The errors of an entry, with their places in the document. */
export function placed({ message, details }: BadRequestError, place: string): FieldError[] {
  const own = details ?? [{ field: '', message }];
  return own.map(fault => ({
    field: fault.field === '' || fault.field === 'body' ? place : `${place}.${fault.field}`,
    message: fault.message,
  }));
}

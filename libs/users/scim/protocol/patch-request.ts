import { named } from './attribute.js';
import { comparisonsOf } from './filter.js';
import { parsePath, type Target } from './parse-filter.js';
import { objectOf, requireSchema, valueOf } from './read-resource.js';
import { findExtension, type ResourceSchema } from './resource-schema.js';
import { ScimError } from './scim-error.js';
import { PATCH_URN } from './urns.js';

/** One PATCH operation with its target. */
export interface PatchStep {
  readonly op: 'add' | 'remove' | 'replace';
  readonly target: Target;
  readonly value: unknown;
  /** The target as the client wrote it, for messages. */
  readonly path: string;
}

const STEPS_MAX = 1_000;
/**
 * Maximum number of comparisons in the paths of a request, all paths together. Each comparison may run for every value
 * of a list.
 */
const COMPARISONS_MAX = 1_000;
const OPS = ['add', 'remove', 'replace'] as const;
/** Read-only attributes that some clients send in a value without a path. They are ignored. */
const SERVERS_OWN = new Set(['id', 'meta', 'schemas']);

/**
 * Parses the body of a PATCH (RFC 7644, section 3.5.2). Accepts variants that are common among clients: `Add` instead
 * of `add`; a value without a path whose keys are paths; an extension as one object, or each of its attributes by URN.
 * @throws ScimError
 */
export function readPatch(schema: ResourceSchema, body: unknown): PatchStep[] {
  const request = objectOf(body);
  requireSchema(request, PATCH_URN);
  const operations = valueOf(request, 'Operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new ScimError('invalidSyntax', 'Operations must be a list with at least one operation.');
  }
  if (operations.length > STEPS_MAX) {
    throw new ScimError('tooMany', `Operations must have at most ${STEPS_MAX} entries; send several requests.`);
  }
  let comparisons = 0;
  return operations.flatMap((operation: unknown, at) => {
    const steps = readOperation(schema, operation, `Operations[${at}]`);
    for (const { target } of steps) comparisons += target.chosen ? comparisonsOf(target.chosen) : 0;
    if (comparisons > COMPARISONS_MAX) {
      throw new ScimError(
        'tooMany',
        `The paths of one request may have ${COMPARISONS_MAX} comparisons in brackets; send several requests.`,
      );
    }
    return steps;
  });
}

function readOperation(schema: ResourceSchema, operation: unknown, place: string): PatchStep[] {
  const given = objectOf(operation, place);
  const word = valueOf(given, 'op');
  const op = OPS.find(each => typeof word === 'string' && each === word.toLowerCase());
  if (!op) throw new ScimError('invalidSyntax', `${place}.op must be add, remove or replace.`);
  const path = valueOf(given, 'path') ?? '';
  if (typeof path !== 'string') throw new ScimError('invalidPath', `${place}.path must be a text.`);
  const value = valueOf(given, 'value');
  if (op !== 'remove' && value === undefined) {
    throw new ScimError('invalidValue', `${place}.value is required for ${op}.`);
  }
  if (path.trim() !== '') return stepsOf(schema, op, path.trim(), value);
  if (op === 'remove') throw new ScimError('noTarget', `${place}.path is required for remove.`);
  return Object.entries(objectOf(value, `${place}.value, without a path,`)).flatMap(([key, part]) =>
    SERVERS_OWN.has(key) ? [] : stepsOf(schema, op, key, part),
  );
}

function stepsOf(schema: ResourceSchema, op: PatchStep['op'], path: string, value: unknown): PatchStep[] {
  const extension = findExtension(schema, path);
  if (extension) return extensionSteps(schema, extension.urn, op, value);
  const target = parsePath(schema, path);
  const { attribute, sub, absent } = target.ref;
  // Operations on attributes that are not stored have no effect.
  if (absent) return [];
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') {
    throw new ScimError('mutability', `${path} is set by this server and cannot be changed.`);
  }
  return [{ op, target, value, path }];
}

/** Operations on an extension: one operation for each supplied attribute, or the removal of all its attributes. */
function extensionSteps(schema: ResourceSchema, urn: string, op: PatchStep['op'], value: unknown): PatchStep[] {
  const attributes = findExtension(schema, urn)?.attributes ?? [];
  if (op === 'remove') return attributes.flatMap(({ name }) => stepsOf(schema, op, `${urn}:${name}`, undefined));
  return Object.entries(objectOf(value, urn)).flatMap(([key, part]) =>
    // Unknown attributes of an extension are ignored, as in a body.
    named(attributes, key) ? stepsOf(schema, op, `${urn}:${key}`, part) : [],
  );
}

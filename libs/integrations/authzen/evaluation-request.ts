import { BadRequestError, UnsupportedMediaTypeError, type FieldError } from '#core';
import { parseDecision, type DecisionInput } from '#policy';
import { namedPerson } from '../people/named-person.js';
import { isRecord, memberOf, type JsonRecord } from '../records.js';

/** Maximum number of entries in `evaluations` of one request. */
export const EVALUATIONS_MAX = 100;

/** How a batch is evaluated: completely, until the first denial, or until the first permission. */
export const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;

/** How a batch is evaluated. */
export type Semantic = (typeof SEMANTICS)[number];

/** A batch of evaluations with default values. Not validated yet. */
export interface Batch {
  readonly semantic: Semantic;
  readonly evaluations: readonly unknown[];
}

/** Members of `context` that are fields of a decision. All other members are attributes. */
const CONTEXT_FIELDS = ['device_id', 'estimated_input_tokens', 'max_output_tokens', 'idempotency_key'] as const;
const PARTS = ['subject', 'action', 'resource', 'context'] as const;
const PLACES: ReadonlyMap<string, string> = new Map([
  ['model', 'resource.id'],
  ['provider', 'resource.properties.provider'],
  ['attributes', 'context'],
  ['attributes.action', 'action.name'],
  ['attributes.resource_type', 'resource.type'],
]);

/**
 * Converts an access evaluation to a decision request. Unknown members are ignored, as the protocol requires.
 *
 * @throws BadRequestError naming every invalid member
 */
export function readEvaluation(body: unknown): DecisionInput {
  const { subject, action, resource, context } = requireObject(body);
  const faults: FieldError[] = [
    ...textFaults(subject, 'subject', ['type', 'id']),
    ...textFaults(action, 'action', ['name']),
    ...textFaults(resource, 'resource', ['type', 'id']),
  ];
  if (context !== undefined && !isRecord(context)) faults.push({ field: 'context', message: 'must be an object' });
  if (faults.length > 0) throw BadRequestError.fields(faults);
  return checked({ ...readSubject(subject), ...readResource(resource), ...readContext(context, action, resource) });
}

/**
 * Reads a batch. Undefined if the body has no `evaluations`; the body itself is then a single evaluation.
 * @throws BadRequestError
 */
export function readBatch(body: unknown): Batch | undefined {
  const whole = requireObject(body);
  const { evaluations, options } = whole;
  const semantic = memberOf(options, 'evaluations_semantic') ?? 'execute_all';
  const known = SEMANTICS.find(name => name === semantic);
  if (!known) throw BadRequestError.field('options.evaluations_semantic', `must be one of ${SEMANTICS.join(', ')}`);
  if (evaluations === undefined) return undefined;
  if (!Array.isArray(evaluations) || evaluations.length > EVALUATIONS_MAX) {
    throw BadRequestError.field('evaluations', `must be a list of at most ${EVALUATIONS_MAX} evaluations`);
  }
  if (evaluations.length === 0) return undefined;
  const entries: readonly unknown[] = evaluations;
  return { semantic: known, evaluations: entries.map(entry => withDefaults(entry, whole)) };
}

function withDefaults(entry: unknown, defaults: JsonRecord): unknown {
  if (!isRecord(entry)) return entry;
  return Object.fromEntries(PARTS.map(part => [part, Object.hasOwn(entry, part) ? entry[part] : defaults[part]]));
}

function requireObject(body: unknown): JsonRecord {
  if (body === undefined) {
    throw new UnsupportedMediaTypeError('Send a JSON object as the body, with content-type: application/json.');
  }
  if (!isRecord(body)) throw BadRequestError.field('body', 'must be a JSON object');
  return body;
}

function textFaults(part: unknown, name: string, members: readonly string[]): FieldError[] {
  if (!isRecord(part)) return [{ field: name, message: 'is required and must be an object' }];
  return members.flatMap(member => {
    const value = memberOf(part, member);
    const isText = typeof value === 'string' && value !== '';
    return isText ? [] : [{ field: `${name}.${member}`, message: 'is required and must be a text' }];
  });
}

function readSubject(subject: unknown): object {
  if (memberOf(subject, 'type') !== 'user') {
    throw BadRequestError.field('subject.type', 'must be user: decisions are about people');
  }
  const person = namedPerson(memberOf(subject, 'id'));
  if (!person) throw BadRequestError.field('subject.id', 'must be the id (a UUID) or the e-mail address of a person');
  return person;
}

/** Reads a model of a provider. For any other resource type, such as a tool, the type is used as the provider. */
function readResource(resource: unknown): object {
  const [type, id] = [memberOf(resource, 'type'), memberOf(resource, 'id')];
  const provider = memberOf(memberOf(resource, 'properties'), 'provider');
  if (provider !== undefined) return { provider, model: id };
  if (type !== 'model') return { provider: type, model: id };
  const [, first, rest] = /^([^/]+)\/(.+)$/s.exec(String(id)) ?? [];
  if (first !== undefined) return { provider: first, model: rest };
  const message = 'is required where resource.id does not begin with the provider, such as openai/gpt-4o';
  throw BadRequestError.field('resource.properties.provider', message);
}

function readContext(context: unknown, action: unknown, resource: unknown): object {
  const given = isRecord(context) ? Object.entries(context) : [];
  const fields = given.filter(([name]) => isField(name));
  // Policies compare attributes with texts and numbers. Lists and objects in a context are therefore omitted.
  const others = given.filter(([name, value]) => !isField(name) && (typeof value !== 'object' || value === null));
  const attributes = Object.fromEntries([
    ...others,
    ['action', memberOf(action, 'name')],
    ['resource_type', memberOf(resource, 'type')],
  ]) as object;
  return { ...Object.fromEntries(fields), attributes };
}

function isField(name: string): boolean {
  return CONTEXT_FIELDS.some(field => field === name);
}

/** Applies the same rules as `POST /v1/decisions`. Errors name the members of the evaluation. */
function checked(input: object): DecisionInput {
  try {
    return parseDecision(input);
  } catch (error) {
    if (!(error instanceof BadRequestError) || !error.details) throw error;
    throw BadRequestError.fields(error.details.map(({ field, message }) => ({ field: placeOf(field), message })));
  }
}

function placeOf(field: string): string {
  const place = PLACES.get(field);
  if (place !== undefined) return place;
  if (field.startsWith('user_')) return 'subject.id';
  return `context.${field.replace(/^attributes\./, '')}`;
}

import {
  BadRequestError,
  isStorableText,
  isServiceTier,
  isUuid,
  projectDefect,
  regionDefect,
  SERVICE_TIERS,
  tagsDefect,
  UnsupportedMediaTypeError,
  type FieldError,
} from '#core';
import { OWN_ATTRIBUTE_KEY_MAX } from '../decide/index.js';
import { isLongerThan } from '../text-length.js';
import type { DecisionInput } from '../records/decision.js';

/** Size limits of a decision request. Texts are measured in code points. */
export const DECISION_LIMITS = {
  text: 255,
  email: 320,
  attributes: 100,
  attributeText: 1_024,
  tokens: 1_000_000_000,
  batch: 100,
} as const;

type Check = (value: unknown, field: string) => FieldError[] | undefined;

const CHECKS = new Map<string, Check>([
  ['user_id', ruled(value => (isUuid(value) ? undefined : 'must be a UUID'))],
  ['user_email', ruled(value => textFault(value, DECISION_LIMITS.email) ?? emailFault(value))],
  ['model', ruled(value => textFault(value, DECISION_LIMITS.text))],
  ['provider', ruled(value => textFault(value, DECISION_LIMITS.text))],
  ['device_id', ruled(value => textFault(value, DECISION_LIMITS.text))],
  ['attributes', attributesFaults],
  ['project', value => listed(projectDefect(value))],
  ['tags', value => listed(tagsDefect(value))],
  ['estimated_input_tokens', ruled(tokensFault)],
  ['max_output_tokens', ruled(tokensFault)],
  ['service_tier', ruled(value => (isServiceTier(value) ? undefined : `must be one of ${SERVICE_TIERS.join(', ')}`))],
  ['region', ruled(regionDefect)],
  ['idempotency_key', ruled(value => textFault(value, DECISION_LIMITS.text))],
]);

// These checks are hand-written, because a gateway requests a decision before every model call. They take a third of a
// microsecond; class-validator takes about twenty times as long. The DTO in this folder documents the body. A test
// compares the rules of the DTO with these checks.

/**
 * Checks the body of a decision request.
 * @throws BadRequestError naming every invalid field
 */
export function parseDecision(body: unknown): DecisionInput {
  if (body === undefined) {
    throw new UnsupportedMediaTypeError('Send a JSON object as the body, with content-type: application/json.');
  }
  const faults = decisionFaults(body, '');
  if (faults) throw BadRequestError.fields(faults);
  // Every field was checked above, so the type is known.
  return body as DecisionInput;
}

/**
 * Checks the body of a batch, `{ requests: [ … ] }`.
 * @throws BadRequestError naming every invalid field
 */
export function parseDecisionBatch(body: unknown): DecisionInput[] {
  if (body === undefined) {
    throw new UnsupportedMediaTypeError('Send a JSON object as the body, with content-type: application/json.');
  }
  if (!isRecord(body)) throw BadRequestError.field('body', 'must be a JSON object');
  const { requests, ...others } = body;
  const faults: FieldError[] = Object.keys(others).map(unknownField);
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > DECISION_LIMITS.batch) {
    faults.push({ field: 'requests', message: `must be a list of 1 to ${DECISION_LIMITS.batch} decision requests` });
  } else {
    requests.forEach((request, at) => faults.push(...(decisionFaults(request, `requests[${at}].`) ?? [])));
  }
  if (faults.length > 0) throw BadRequestError.fields(faults);
  // Every entry was checked above, so the type is known.
  return requests as DecisionInput[];
}

function decisionFaults(body: unknown, prefix: string): FieldError[] | undefined {
  if (!isRecord(body)) return [{ field: prefix.slice(0, -1) || 'body', message: 'must be a JSON object' }];
  let faults: FieldError[] | undefined;
  for (const key in body) {
    const value = body[key];
    if (value === undefined) continue;
    const check = CHECKS.get(key);
    const found = check ? check(value, key) : [unknownField(key)];
    if (found) (faults ??= []).push(...found);
  }
  if (body['model'] === undefined) (faults ??= []).push({ field: 'model', message: 'is required' });
  if (body['provider'] === undefined) (faults ??= []).push({ field: 'provider', message: 'is required' });
  if (body['user_id'] === undefined && body['user_email'] === undefined) {
    (faults ??= []).push({ field: 'user_id', message: 'is required if user_email is missing' });
  }
  return prefix === '' ? faults : faults?.map(({ field, message }) => ({ field: prefix + field, message }));
}

function attributesFaults(value: unknown, field: string): FieldError[] | undefined {
  if (!isRecord(value)) return [{ field, message: 'must be an object of texts, numbers, booleans and nulls' }];
  const entries = Object.entries(value);
  if (entries.length > DECISION_LIMITS.attributes) {
    return [{ field, message: `must have at most ${DECISION_LIMITS.attributes} entries` }];
  }
  const faults = entries.flatMap(([key, entry]) => {
    const message = attributeFault(key, entry);
    return message === undefined ? [] : [{ field: `${field}.${key.slice(0, OWN_ATTRIBUTE_KEY_MAX)}`, message }];
  });
  return faults.length > 0 ? faults : undefined;
}

function attributeFault(key: string, value: unknown): string | undefined {
  if (key === '' || key.length > OWN_ATTRIBUTE_KEY_MAX)
    return `keys must have 1 to ${OWN_ATTRIBUTE_KEY_MAX} characters`;
  if (!isStorableText(key)) return 'must not contain NUL or half of a surrogate pair';
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  if (typeof value !== 'string') return 'must be a text, a number, true, false or null';
  return value === '' ? undefined : textFault(value, DECISION_LIMITS.attributeText);
}

function textFault(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  if (value === '') return 'must not be empty';
  if (isLongerThan(value, max)) return `must be at most ${max} characters`;
  return isStorableText(value) ? undefined : 'must not contain NUL or half of a surrogate pair';
}

function emailFault(value: unknown): string | undefined {
  return typeof value === 'string' && value.includes('@') ? undefined : 'must be an e-mail address';
}

function tokensFault(value: unknown): string | undefined {
  const fits = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= DECISION_LIMITS.tokens;
  return fits ? undefined : `must be a whole number from 0 to ${DECISION_LIMITS.tokens}`;
}

function ruled(rule: (value: unknown) => string | undefined): Check {
  return (value, field) => {
    const message = rule(value);
    return message === undefined ? undefined : [{ field, message }];
  };
}

function listed(fault: FieldError | undefined): FieldError[] | undefined {
  return fault && [{ field: fault.field, message: fault.message }];
}

function unknownField(field: string): FieldError {
  return { field: field.slice(0, DECISION_LIMITS.text), message: 'is not a field of this request' };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

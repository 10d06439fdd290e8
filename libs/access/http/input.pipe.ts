import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { BadRequestError, type FieldError, JSON_MAX_DEPTH } from '#core';
import { buildInput } from './build-input.js';

const READ_ONLY = Symbol('readOnlyFields');
const COLLECTED = Symbol('collectedFields');

/**
 * Collects query parameters with a prefix into one object: with `('tag:', 'tags')`, the query `tag:team=search` becomes
 * `tags: { team: 'search' }`.
 */
export function CollectsFields(prefix: string, into: string): ClassDecorator {
  return target => Reflect.defineMetadata(COLLECTED, { prefix, into }, target);
}

/**
 * Declares read-only fields of a resource. They are ignored in a body, so that a client can send back the resource that
 * it has read.
 */
export function IgnoresReadOnly(...fields: string[]): ClassDecorator {
  return target => Reflect.defineMetadata(READ_ONLY, fields, target);
}

/** Converts bodies and queries to validated DTOs. Errors name every invalid field; unknown fields are refused. */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const type = metadata.metatype;
    if ((metadata.type !== 'body' && metadata.type !== 'query') || !type || type === Object || type === String) {
      return value;
    }
    // The input was read before the pipes ran. It is a plain object only if a pipe of the host has replaced it.
    return value instanceof type ? value : readInput(type, value, metadata.type);
  }
}

/** @throws BadRequestError with one entry per invalid field. */
export function readInput<T extends object>(type: new () => T, value: unknown, source: 'body' | 'query'): T {
  const plain = asPlainObject(value, source);
  const ignored = readOnlyFields(type);
  for (const key of Object.keys(plain)) {
    if (ignored.includes(key)) delete plain[key];
  }
  collectFields(type, plain);
  const { dto, unknown } = buildInput(type, plain);
  const errors = validateSync(dto, {
    forbidUnknownValues: false,
    stopAtFirstError: true,
  });
  const faults = [...errors.flatMap(error => flatten(error, '')), ...unknown];
  if (faults.length > 0) throw BadRequestError.fields(faults);
  return dto;
}

/**
 * Reads a body into its DTO, except for one field, which is returned unchanged. `faultsOf` returns the errors in that
 * field, each with its path.
 * @throws BadRequestError naming every invalid field, also those within that field
 */
export function readInputApart<T extends object>(
  type: new () => T,
  body: unknown,
  field: keyof T & string,
  faultsOf: (value: unknown) => FieldError[],
): T {
  if (typeof body !== 'object' || body === null || !(field in body)) return readInput(type, body, 'body');
  const { [field]: value, ...rest }: Record<string, unknown> = { ...body };
  const faults = faultsOf(value);
  try {
    const dto = readInput(type, rest, 'body');
    if (faults.length === 0) return Object.assign(dto, { [field]: value });
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    faults.unshift(...(error.details ?? []));
  }
  throw BadRequestError.fields(faults);
}

function collectFields(type: object, plain: Record<string, unknown>): void {
  const rule: unknown = Reflect.getMetadata(COLLECTED, type);
  if (!isCollection(rule)) return;
  const collected = Object.entries(plain).filter(([key]) => key.startsWith(rule.prefix));
  if (collected.length === 0) return;
  for (const [key] of collected) delete plain[key];
  plain[rule.into] = Object.fromEntries(collected.map(([key, value]) => [key.slice(rule.prefix.length), value]));
}

function isCollection(rule: unknown): rule is { prefix: string; into: string } {
  return typeof rule === 'object' && rule !== null && 'prefix' in rule && 'into' in rule;
}

function readOnlyFields(type: object): string[] {
  const fields: unknown = Reflect.getMetadata(READ_ONLY, type);
  return Array.isArray(fields) ? fields.map(String) : [];
}

function asPlainObject(value: unknown, source: 'body' | 'query'): Record<string, unknown> {
  if (value === undefined) {
    throw BadRequestError.field(source, 'is required; send a JSON object with content-type: application/json');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw BadRequestError.field(source, 'must be a JSON object');
  }
  if (isDeeperThan(value, JSON_MAX_DEPTH)) {
    throw BadRequestError.field(source, `must be at most ${JSON_MAX_DEPTH} levels deep`);
  }
  return { ...value };
}

/** Whether a value is nested deeper than a limit. Stops at the limit, so that the cost is bounded. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (limit === 0) return true;
  return Object.values(value).some(part => isDeeperThan(part, limit - 1));
}

/** The used fields of a ValidationError. */
type Fault = Pick<ValidationError, 'property' | 'value' | 'constraints' | 'children'>;

function faultOf({ value, constraints, children }: ValidationError, property: string): Fault {
  return { property, value, ...(constraints ? { constraints } : {}), ...(children ? { children } : {}) };
}

function flatten(error: Fault, prefix: string): FieldError[] {
  const field = prefix + error.property;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
    field,
    message: message === undefined ? 'is not valid' : phrase(rule, message, error.value),
  }));
  const isList = Array.isArray(error.value);
  const below = (error.children ?? []).flatMap(child =>
    isList ? flatten(faultOf(child, `[${child.property}]`), field) : flatten(child, `${field}.`),
  );
  return [...own, ...below];
}

function phrase(rule: string, message: string, value: unknown): string {
  if (rule === 'nestedValidation') return 'must be an object';
  return value === undefined ? 'is required' : message;
}

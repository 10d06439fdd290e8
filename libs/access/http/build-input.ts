import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import type { FieldError } from '#core';

const UNKNOWN_FIELD = 'is not a field of this request';

type Dto = new () => object;

/** The validation rules of one field. */
interface FieldShape {
  /** The class of a nested object, from `@ValidateNested` and `@Type`. */
  nested?: Dto;
  /** Maximum length of a list. */
  maxEntries?: number;
}

/** The result of reading a body or query. */
export interface BuiltInput<T> {
  dto: T;
  /** Fields that the DTO does not declare. */
  unknown: FieldError[];
}

/**
 * Creates a DTO from parsed JSON. Only simple values are passed to class-transformer. Objects of a nested DTO class are
 * built recursively. All other objects and lists stay unchanged, because class-transformer would drop keys such as
 * `toString` and fail at `constructor`. Unknown keys are removed first, because the running time of class-transformer
 * is quadratic in their number.
 */
export function buildInput<T extends object>(type: new () => T, plain: Record<string, unknown>): BuiltInput<T> {
  const unknown: FieldError[] = [];
  return { dto: build(type, plain, '', unknown), unknown };
}

function build<T extends object>(
  type: new () => T,
  plain: Record<string, unknown>,
  path: string,
  unknown: FieldError[],
): T {
  const shapes = shapesOf(type);
  const simple: Record<string, unknown> = {};
  const structured: [string, FieldShape, object][] = [];
  for (const key of Object.keys(plain)) {
    const shape = shapes.get(key);
    const value = plain[key];
    if (shape === undefined) {
      unknown.push({ field: path + key, message: UNKNOWN_FIELD });
    } else if (isObject(value)) structured.push([key, shape, value]);
    else simple[key] = value;
  }
  const dto = plainToInstance(type, simple, { exposeUnsetFields: false });
  for (const [key, shape, value] of structured) {
    Reflect.set(dto, key, isBuildable(shape, value) ? buildNested(shape.nested, value, path + key, unknown) : value);
  }
  return dto;
}

/** Skips lists over their maximum length, because validation rejects them anyway. */
function isBuildable(shape: FieldShape, value: object): shape is FieldShape & { nested: Dto } {
  const tooLong = Array.isArray(value) && shape.maxEntries !== undefined && value.length > shape.maxEntries;
  return shape.nested !== undefined && !tooLong;
}

function buildNested(type: Dto, value: unknown, path: string, unknown: FieldError[]): unknown {
  if (!Array.isArray(value)) return isObject(value) ? build(type, value, `${path}.`, unknown) : value;
  // Nested lists are left unchanged, because the rules of the field reject them.
  return value.map((part, at) => (Array.isArray(part) ? part : buildNested(type, part, `${path}[${at}]`, unknown)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const known = new WeakMap<Dto, Map<string, FieldShape>>();

/** The declared fields of a DTO. */
function shapesOf(type: Dto): Map<string, FieldShape> {
  const found = known.get(type);
  if (found) return found;
  const shapes = new Map<string, FieldShape>();
  known.set(type, shapes);
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(type, '', false, false)) {
    const { propertyName } = rule;
    const shape = shapes.get(propertyName) ?? {};
    shapes.set(propertyName, shape);
    if (rule.type === 'nestedValidation') shape.nested = nestedClassOf(type, propertyName);
    const limit: unknown = rule.name === 'arrayMaxSize' ? rule.constraints?.[0] : undefined;
    if (typeof limit === 'number') shape.maxEntries = limit;
  }
  return shapes;
}

function nestedClassOf(type: Dto, propertyName: string): Dto {
  const sample: unknown = Reflect.get(plainToInstance(type, { [propertyName]: {} }), propertyName);
  const nested: unknown = isObject(sample) ? Object.getPrototypeOf(sample)?.constructor : undefined;
  if (typeof nested !== 'function' || nested === Object) {
    throw new TypeError(`${type.name}.${propertyName} is under @ValidateNested but has no class; add @Type(() => …)`);
  }
  // class-transformer has just created an instance, so the class needs no constructor arguments.
  return nested as Dto;
}

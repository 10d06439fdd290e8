import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import type { FieldError } from '#core';

const UNKNOWN_FIELD = 'is not a field of this request';

type Dto = new () => object;

/** The rules of a DTO for one field. */
interface FieldShape {
  /** The class of a nested field: one under `@ValidateNested`, as `@Type` names it. */
  nested?: Dto;
  /** Most entries of a list. */
  maxEntries?: number;
}

/** The result of reading a body or query. */
export interface BuiltInput<T> {
  dto: T;
  /** Fields that the DTO does not have. */
  unknown: FieldError[];
}

/**
 * Makes a DTO from parsed JSON without looking into values that have no class of their own: those stay as they came.
 * class-transformer alone would walk into them, drop keys that every object has, such as `toString`, and fail at
 * `constructor`. It is given the plain values, for the transformations that fields state, and says which class
 * `@Type` names. Keys without a rule are set aside before: its time grows with the square of their number.
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

/** Skips lists over their limit, because the rules reject them without reading their entries. */
function isBuildable(shape: FieldShape, value: object): shape is FieldShape & { nested: Dto } {
  const tooLong = Array.isArray(value) && shape.maxEntries !== undefined && value.length > shape.maxEntries;
  return shape.nested !== undefined && !tooLong;
}

function buildNested(type: Dto, value: unknown, path: string, unknown: FieldError[]): unknown {
  if (!Array.isArray(value)) return isObject(value) ? build(type, value, `${path}.`, unknown) : value;
  // Lists of lists are no fields; the rules of the field refuse them.
  return value.map((part, at) => (Array.isArray(part) ? part : buildNested(type, part, `${path}[${at}]`, unknown)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const known = new WeakMap<Dto, Map<string, FieldShape>>();

/** The fields that a DTO has rules for. */
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
  // What class-transformer has just made an instance of can be made without arguments.
  return nested as Dto;
}

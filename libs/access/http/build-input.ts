import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { BadRequestError } from '#core';

/** What is said of a field that the request does not have. */
export const UNKNOWN_FIELD = 'is not a field of this request';

type Dto = new () => object;

/**
 * Makes a DTO from parsed JSON without looking into values that have no class of their own: those stay as they came.
 * class-transformer alone would walk into them, drop keys that every object has, such as `toString`, and fail at
 * `constructor`. It is given the plain values, for the transformations that fields state, and says which class
 * `@Type` names.
 * @throws BadRequestError for a field named like something that every object has: neither library sees those.
 */
export function buildInput<T extends object>(type: new () => T, plain: Record<string, unknown>, path = ''): T {
  const inherent = Object.keys(plain).find(key => key in Object.prototype);
  if (inherent !== undefined) throw BadRequestError.field(path + inherent, UNKNOWN_FIELD);
  const simple = Object.fromEntries(Object.entries(plain).filter(([, value]) => !isObject(value)));
  const dto = plainToInstance(type, simple, { exposeUnsetFields: false });
  const classes = nestedClassesOf(type);
  for (const [key, value] of Object.entries(plain)) {
    if (!isObject(value)) continue;
    const nested = classes.get(key);
    Reflect.set(dto, key, nested ? buildNested(nested, value, path + key) : value);
  }
  return dto;
}

function buildNested(type: Dto, value: unknown, path: string): unknown {
  if (!Array.isArray(value)) return isObject(value) ? buildInput(type, value, `${path}.`) : value;
  // Lists of lists are no fields; the rules of the field refuse them.
  return value.map((part, at) => (Array.isArray(part) ? part : buildNested(type, part, `${path}[${at}]`)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const known = new WeakMap<Dto, Map<string, Dto>>();

/** The classes of nested fields: those under `@ValidateNested`, as `@Type` names them. */
function nestedClassesOf(type: Dto): Map<string, Dto> {
  const found = known.get(type) ?? new Map<string, Dto>();
  if (known.has(type)) return found;
  known.set(type, found);
  for (const { propertyName, type: rule } of getMetadataStorage().getTargetValidationMetadatas(
    type,
    '',
    false,
    false,
  )) {
    if (rule !== 'nestedValidation') continue;
    const sample: unknown = Reflect.get(plainToInstance(type, { [propertyName]: {} }), propertyName);
    const nested: unknown = isObject(sample) ? Object.getPrototypeOf(sample)?.constructor : undefined;
    if (typeof nested !== 'function' || nested === Object) {
      throw new TypeError(`${type.name}.${propertyName} is under @ValidateNested but has no class; add @Type(() => …)`);
    }
    // What class-transformer has just made an instance of can be made without arguments.
    found.set(propertyName, nested as Dto);
  }
  return found;
}

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FieldError, JsonObject } from '#core';
import type { FormSchema } from '../adapter/itsm-adapter.port.js';
import { isUrl } from '../adapter/form.js';

/** The one format that is checked; others say to a form what a text looks like. */
const formats = { uri: isUrl };
const ajv = new Ajv2020({ allErrors: true, strict: false, formats, logger: false });
/** What is said of a text that is no address. */
export const NO_ADDRESS = 'must be an address such as https://host.example';
const compiled = new WeakMap<FormSchema, ValidateFunction>();

/**
 * What is wrong with the values of a form, field by field under `path`, as the schema of its adapter says; of formats
 * `uri` alone is checked. Values are never repeated.
 */
export function formFaults(schema: FormSchema, values: JsonObject, path: string): FieldError[] {
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  if (check(values)) return [];
  const errors = check.errors ?? [];
  const shapeless = new Set(errors.filter(isShape).map(({ instancePath }) => instancePath));
  // What is no address at all, need not be told what else an address must be.
  const telling = errors.filter(
    // Of a name that is refused, one error tells which.
    ({ keyword, instancePath, propertyName }) =>
      // Of a condition, the errors of its branch tell.
      keyword !== 'if' && propertyName === undefined && (keyword !== 'pattern' || !shapeless.has(instancePath)),
  );
  return telling.map(error => faultOf(error, path));
}

function isShape({ keyword }: ErrorObject): boolean {
  return keyword === 'format' || keyword === 'maxLength';
}

function faultOf({ keyword, instancePath, params, message }: ErrorObject, path: string): FieldError {
  const field = path + instancePath.replaceAll('/', '.');
  // What `params` holds is settled by the keyword.
  const facts = params as Record<string, unknown>;
  if (keyword === 'required' || keyword === 'dependentRequired')
    return { field: `${field}.${String(facts['missingProperty'])}`, message: 'is required' };
  if (keyword === 'propertyNames') {
    return { field: `${field}.${String(facts['propertyName'])}`, message: 'is not a name that can be set here' };
  }
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = facts['additionalProperty'] ?? facts['unevaluatedProperty'];
    return { field: `${field}.${String(name)}`, message: 'is not a field of this kind of connector' };
  }
  if (keyword === 'enum' && Array.isArray(facts['allowedValues'])) {
    return { field, message: `must be one of: ${facts['allowedValues'].join(', ')}` };
  }
  if (keyword === 'format') return { field, message: NO_ADDRESS };
  return { field, message: message ?? 'is not valid' };
}

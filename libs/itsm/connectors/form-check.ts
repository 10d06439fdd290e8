import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FieldError, JsonObject } from '#core';
import type { FormSchema } from '../adapter/itsm-adapter.port.js';
import { isUrl } from '../adapter/form.js';

/** The only string format that is checked. Other formats are hints for forms. */
const formats = { uri: isUrl };
const ajv = new Ajv2020({ allErrors: true, strict: false, formats, logger: false });
/** Error message for a text that is not a URL. */
export const NO_ADDRESS = 'must be an address such as https://host.example';
const compiled = new WeakMap<FormSchema, ValidateFunction>();

/**
 * Validates the values of a form against the schema of its adapter. Returns one fault per error. Field names begin with
 * `path`. A fault never repeats a value, because the value may be a secret.
 */
export function formFaults(schema: FormSchema, values: JsonObject, path: string): FieldError[] {
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  if (check(values)) return [];
  const errors = check.errors ?? [];
  const shapeless = new Set(errors.filter(isShape).map(({ instancePath }) => instancePath));
  // If a text is not a URL, the error of the pattern adds no information.
  const telling = errors.filter(
    // ajv reports a rejected property name with two errors. The error of `propertyNames` names the property.
    ({ keyword, instancePath, propertyName }) =>
      // The errors of a branch name the fault. The additional error of its `if` is left out.
      keyword !== 'if' && propertyName === undefined && (keyword !== 'pattern' || !shapeless.has(instancePath)),
  );
  return telling.map(error => faultOf(error, path));
}

function isShape({ keyword }: ErrorObject): boolean {
  return keyword === 'format' || keyword === 'maxLength';
}

function faultOf({ keyword, instancePath, params, message }: ErrorObject, path: string): FieldError {
  const field = path + instancePath.replaceAll('/', '.');
  // `params` has these properties, because the keyword determines them.
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

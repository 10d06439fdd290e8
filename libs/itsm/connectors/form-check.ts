import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FieldError, JsonObject } from '#core';
import type { FormSchema } from '../adapter/itsm-adapter.port.js';

const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
const compiled = new WeakMap<FormSchema, ValidateFunction>();

/** What is wrong with the values of a form, field by field under `path`. Values are never repeated. */
export function formFaults(schema: FormSchema, values: JsonObject, path: string): FieldError[] {
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  return check(values) ? [] : (check.errors ?? []).map(error => faultOf(error, path));
}

function faultOf({ keyword, instancePath, params, message }: ErrorObject, path: string): FieldError {
  const field = path + instancePath.replaceAll('/', '.');
  // What `params` holds is settled by the keyword.
  const facts = params as Record<string, unknown>;
  if (keyword === 'required') return { field: `${field}.${String(facts['missingProperty'])}`, message: 'is required' };
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = facts['additionalProperty'] ?? facts['unevaluatedProperty'];
    return { field: `${field}.${String(name)}`, message: 'is not a field of this kind of connector' };
  }
  if (keyword === 'enum' && Array.isArray(facts['allowedValues'])) {
    return { field, message: `must be one of: ${facts['allowedValues'].join(', ')}` };
  }
  return { field, message: message ?? 'is not valid' };
}

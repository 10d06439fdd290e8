import fc from 'fast-check';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  nullable?: boolean;
  enum?: unknown[];
  example?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}

/** Values that match a schema. The document's components resolve its references. */
export function arbitraryOf(schema: Schema, components: Record<string, Schema>): fc.Arbitrary<unknown> {
  const of = (part: Schema): fc.Arbitrary<unknown> => arbitraryOf(part, components);
  if (schema.$ref) return of(resolve(schema.$ref, components));
  if (schema.nullable) return fc.option(of({ ...schema, nullable: false }), { nil: null });
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return fc.oneof(...choices.map(of));
  if (schema.allOf) return fc.tuple(...schema.allOf.map(of)).map(parts => Object.assign({}, ...parts.map(Object)));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map(type => of({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000_000, 2 ** 31 - 1) });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000_000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(of(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 3),
      });
    case 'object':
      return object(schema, of);
    case undefined:
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function resolve(reference: string, components: Record<string, Schema>): Schema {
  const found = components[reference.replace('#/components/schemas/', '')];
  if (!found) throw new Error(`the document refers to ${reference}, which it does not have`);
  return found;
}

function text(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'email') return fc.integer({ min: 0 }).map(number => `person${number}@people.example`);
  // The URL leads to this machine, where no process listens at the port. So no other host name is looked up.
  if (schema.format === 'uri') return fc.integer({ min: 0 }).map(number => `https://127.0.0.1:9/${number}`);
  if (schema.format === 'date') {
    const days = fc.integer({ min: 0, max: 20_000 }).map(day => iso(day * 86_400_000).slice(0, 10));
    return fc.oneof({ weight: 3, arbitrary: days }, { weight: 1, arbitrary: fc.constantFrom(...EDGE_DATES) });
  }
  if (schema.format === 'date-time') {
    const instants = fc.integer({ min: 0, max: 2 ** 41 }).map(iso);
    return fc.oneof({ weight: 2, arbitrary: instants }, { weight: 1, arbitrary: fc.constantFrom(...EDGE_INSTANTS) });
  }
  // Any text that is not only white space, because texts cannot be generated from a pattern.
  if (schema.pattern && schema.pattern !== '\\S') return fc.stringMatching(new RegExp(schema.pattern, 'u'));
  const minLength = schema.minLength ?? 0;
  return fc
    .string({ minLength, maxLength: Math.min(schema.maxLength ?? 40, minLength + 40), unit: 'grapheme' })
    .filter(value => value.trim().length >= minLength && value.length <= (schema.maxLength ?? Infinity));
}

/**
 * The first and last days that a calendar, JavaScript or PostgreSQL supports. The formats allow these days even if a
 * route refuses them.
 */
const EDGE_DATES = [
  ...['0000-01-01', '0000-12-31', '0001-01-01', '0001-12-31', '0099-12-31', '1969-12-31', '1970-01-01'],
  ...['2000-02-29', '9999-01-01', '9999-12-31'],
];

/** {@link EDGE_DATES} at both ends of the day, with offsets that move them beyond the edge. */
const EDGE_INSTANTS = EDGE_DATES.flatMap(day =>
  ['00:00:00', '23:59:59.999999999', '24:00:00'].flatMap(time =>
    ['Z', '+23:59', '-23:59', '-12:00'].map(offset => `${day}T${time}${offset}`),
  ),
);

/** Edge values for a schema's date or time format; empty if it has no such format. */
export function edgesOf(schema: Schema): readonly string[] {
  if (schema.format === 'date') return EDGE_DATES;
  return schema.format === 'date-time' ? EDGE_INSTANTS : [];
}

/**
 * The example value of a schema, with every date and time in it replaced by an edge value. Leaves out optional fields
 * without an example, so that nothing but the edge value can be invalid.
 */
export function exampleAt(schema: Schema, components: Record<string, Schema>, edge: number): unknown {
  const of = (part: Schema): unknown => exampleAt(part, components, edge);
  const [first] = schema.allOf ?? schema.oneOf ?? schema.anyOf ?? [];
  if (schema.$ref) return of(resolve(schema.$ref, components));
  const edges = edgesOf(schema);
  if (edges.length > 0) return edges[edge % edges.length];
  if (schema.example !== undefined) return schema.example;
  if (first) return of(first);
  if (schema.type === 'array') return [of(schema.items ?? {})];
  const entries = Object.entries(schema.properties ?? {}).filter(
    ([name, part]) => schema.required?.includes(name) || part.example !== undefined || edgesOf(part).length > 0,
  );
  return Object.fromEntries(entries.map(([name, part]) => [name, of(part)]));
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function object(schema: Schema, of: (part: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(([name, part]) => [name, of(part)] as const);
  if (properties.length > 0) {
    return fc.record(Object.fromEntries(properties), { requiredKeys: schema.required ?? [], noNullPrototype: true });
  }
  const values = typeof schema.additionalProperties === 'object' ? of(schema.additionalProperties) : fc.string();
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), values, { maxKeys: 3, noNullPrototype: true });
}

/** Makes one error in a valid value. Returns JSON text, because a value cannot express some errors. */
export function broken(valid: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const nasty = fc.constantFrom<unknown>(
    ...[null, '', ' ', 'x'.repeat(70_000), '\0', '\ud800', '\u202e', -1, 1e308, 2 ** 53, 0.1, true, [], {}, [[]]],
    ...['0000-01-01', '9999-12-31', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59'],
    ...['__proto__', '2026-02-30', '2026-13-01T00:00:00Z', 'not a uuid', { toString: 1 }, { constructor: null }],
  );
  return fc.tuple(valid, nasty, fc.nat(), fc.nat(6)).map(([value, replacement, where, how]) => {
    const json = JSON.stringify(value) ?? 'null';
    if (how === 0) return json.slice(0, Math.max(0, json.length - 1));
    if (how === 1) return JSON.stringify(replacement);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(replacement);
    const keys = Object.keys(value);
    const key = keys[where % Math.max(1, keys.length)] ?? 'unknown';
    if (how === 2) return JSON.stringify(Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)));
    if (how === 3) return JSON.stringify({ ...value, [`unknown_${where}`]: replacement });
    if (how === 4) return `${json.slice(0, -1)}${keys.length > 0 ? ',' : ''}"__proto__":{"role":"admin"}}`;
    if (how === 5 && keys.length > 0) return `{"${key}":1,${json.slice(1)}`;
    return JSON.stringify({ ...value, [key]: replacement });
  });
}

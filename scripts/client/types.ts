import type { Media, OpenApiDocument, Schema } from './openapi.js';

const TYPES: Record<string, string> = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean' };
const REFERENCE = '#/components/schemas/';
export const JSON_TYPE = /[/+]json$/;
/** The source of the fields that follow the items of a page. */
export const PAGE = [
  '/** Opaque; null on the last page. */\nnext_cursor: string | null;',
  'has_more: boolean;',
  '/** Exact up to 10,000, an estimate beyond. */\ntotal_count?: number;',
];
/** If two schemas have fewer fields in common, they are alike only by chance. */
const FEWEST_SHARED = 3;
/** White space between a period and a capital letter. A period in an abbreviation or a number does not match. */
const END_OF_SENTENCE = /(?<=\.)\s+(?=[A-Z`])/;

/**
 * The type for a media type: JSON by its schema, events as a streamed answer, other text as text, everything else as
 * bytes.
 */
export function typeOfMedia(type: string, { schema = {} }: Media): string {
  if (JSON_TYPE.test(type)) return typeOf(schema);
  if (type === 'text/event-stream') return 'Response';
  return isText(type) ? 'string' : 'Uint8Array';
}

function isText(type: string): boolean {
  return type.startsWith('text/') || /ndjson|pem|urlencoded/.test(type);
}

export function typeOf(schema: Schema): string {
  const type = nonNullTypeOf(schema);
  return schema.nullable === true && !schema.enum?.includes(null) ? union([type, 'null']) : type;
}

function nonNullTypeOf(schema: Schema): string {
  const { $ref: reference, enum: values, oneOf, anyOf, allOf, type, items } = schema;
  if (reference !== undefined)
    return `Schemas[${JSON.stringify(nameOf(reference.slice(REFERENCE.length)))}]`.replaceAll('"', "'");
  if (values) return union(values.map(literal));
  const alternatives = oneOf ?? anyOf;
  if (alternatives) return union(alternatives.map(typeOf));
  if (allOf) return allOf.map(typeOf).join(' & ');
  if (type === 'array') return `${bracketed(typeOf(items ?? {}))}[]`;
  if (type === 'object') return objectOf(schema);
  if (type === undefined) return 'unknown';
  const known = TYPES[type];
  if (known === undefined) throw new Error(`The client knows no type for ${JSON.stringify(schema)}`);
  return known;
}

function objectOf(schema: Schema): string {
  const { properties = {}, additionalProperties } = schema;
  const members = fieldsOf(schema).map(({ text }) => text);
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  if (members.length === 0) return `Record<string, ${others}>`;
  if (members.slice(1).join() === PAGE.join()) return `Page<${typeOf(properties['items']?.items ?? {})}>`;
  if (additionalProperties) members.push(`[name: string]: ${others};`);
  return `{\n${indented(members)}\n}`;
}

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  /** Comment and type. They are the same in a schema and in a type that makes its fields optional. */
  readonly content: string;
  readonly text: string;
}

function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, field]) => {
    const [isRequired, note, type] = [required.includes(name), comment(field.description), typeOf(field)];
    const text = `${note}${key(name)}${isRequired ? '' : '?'}: ${type};`;
    return { name, isRequired, content: `${note}${name}: ${type}`, text };
  });
}

/** The schemas that other schemas may extend. Schemas with more fields come first. */
export function shapesOf({ components }: OpenApiDocument): [string, Field[]][] {
  return Object.entries(components.schemas)
    .toReversed()
    .filter(([, schema]) => schema.additionalProperties === undefined)
    .map(([name, schema]): [string, Field[]] => [name, fieldsOf(schema)])
    .filter(([, fields]) => fields.length >= FEWEST_SHARED)
    .toSorted(([, one], [, other]) => other.length - one.length);
}

/** A schema that has all fields of another one extends it and adds its further fields. */
export function typeOfSchema(name: string, schema: Schema, shapes: readonly [string, Field[]][]): string {
  const fields = fieldsOf(schema);
  const at = shapes.findIndex(([shape]) => shape === name);
  if (at < 0) return typeOf(schema);
  for (const [shape, shared] of shapes.slice(at + 1)) {
    const same = shared.every(({ text }) => fields.some(field => field.text === text));
    const partial = shared.every(({ content }) => fields.some(field => !field.isRequired && field.content === content));
    if (!same && !partial) continue;
    const reference = `Schemas['${nameOf(shape)}']`;
    const type = same ? reference : `Partial<${reference}>`;
    const further = fields.filter(field => !shared.some(({ name: theirs }) => theirs === field.name));
    if (further.length === 0) return type;
    return `${type} & {\n${indented(further.map(({ text }) => text))}\n}`;
  }
  return typeOf(schema);
}

export function nameOf(schema: string): string {
  return schema.replace(/^Governance/, '').replace(/Dto$/, '');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : JSON.stringify(value);
}

export function key(name: string): string {
  return /^[\w$]+$/.test(name) ? name : literal(name);
}

export function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function bracketed(type: string): string {
  return / [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type;
}

/** Makes a comment of the first sentence. The API reference has the complete text. */
export function comment(text = ''): string {
  const [first = ''] = text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim().split(END_OF_SENTENCE);
  return first === '' ? '' : `/** ${first} */\n`;
}

export function indented(lines: readonly string[]): string {
  return lines.flatMap(line => line.split('\n').map(text => `  ${text}`)).join('\n');
}

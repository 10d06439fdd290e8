import { routesOf, type Media, type OpenApiDocument, type Parameter, type Route, type Schema } from './openapi.js';

/** Passed on to providers as it is: their own SDKs are its clients. */
const NOT_FOR_CLIENTS = new Set(['callProvider']);

const TYPES: Record<string, string> = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean' };
const REFERENCE = '#/components/schemas/';
const JSON_TYPE = /[/+]json$/;
/** A stop before a capital letter, so that abbreviations and figures do not end a sentence. */
const END_OF_SENTENCE = /(?<=\.)\s+(?=[A-Z`])/;

/** `libs/client/operations.ts`: the types of all schemas and operations of the document, and a table of the operations. */
export function clientSource(document: OpenApiDocument): string {
  const routes = routesOf(document).filter(({ operation }) => !NOT_FOR_CLIENTS.has(idOf({ operation })));
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}${nameOf(name)}: ${typeOf(schema)};`,
  );
  return `${[
    HEAD,
    '/** No parameter, and no body. */\ninterface Nothing {\n  body?: undefined;\n}\n',
    `/** Schemas of the OpenAPI document by name, without the prefix \`Governance\` and the suffix \`Dto\`. */`,
    `export interface Schemas {\n${indented(schemas)}\n}\n`,
    '/** Operations of the API: what each takes and answers. */',
    `export interface Operations {\n${indented(routes.map(typeOfOperation))}\n}\n`,
    '/** Method and path of each operation; then its parameters in headers; then its content type other than JSON. */',
    `export const OPERATIONS = {\n${indented(routes.map(entryOf))}\n} as const satisfies Record<keyof Operations, string>;`,
  ].join('\n')}\n`;
}

const HEAD = `// Generated from the OpenAPI document by \`npm run docs:reference\`; a test compares the two. Longer than 250 lines, because
// it is one table that nobody edits.`;

function idOf({ operation }: Pick<Route, 'operation'>): string {
  return operation.operationId ?? '';
}

function typeOfOperation(route: Route): string {
  const { operation } = route;
  const input = inputOf(route);
  const answer = answerOf(operation.responses);
  const scopes = operation['x-required-scopes'] ?? [];
  const needs = scopes.length > 0 ? ` Needs ${scopes.join(', ')}.` : '';
  return `/** ${operation.summary}.${needs} */\n${idOf(route)}: { input: ${input}; answer: ${answer} };`;
}

/** All parameters side by side, and the body as \`body\`. */
function inputOf({ operation }: Route): string {
  const members = (operation.parameters ?? []).map(memberOfParameter);
  const body = operation.requestBody;
  if (body) {
    const types = Object.entries(body.content).map(([type, media]) => typeOfMedia(type, media));
    members.push(`body${body.required ? '' : '?'}: ${union(types)};`);
  }
  return members.length === 0 ? 'Nothing' : `{\n${indented(members)}\n}`;
}

function memberOfParameter({ name, required, schema }: Parameter): string {
  return `${key(name)}${required ? '' : '?'}: ${typeOf(schema ?? {})};`;
}

function answerOf(responses: Route['operation']['responses']): string {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.flatMap(([, { content }]) => {
    const bodies = Object.entries(content ?? {}).map(([type, media]) => typeOfMedia(type, media));
    return bodies.length > 0 ? bodies : ['undefined'];
  });
  return union(types);
}

/** JSON by its schema; events as the answer that streams them; all other text as text, the rest as bytes. */
function typeOfMedia(type: string, { schema = {} }: Media): string {
  if (JSON_TYPE.test(type)) return typeOf(schema);
  if (type === 'text/event-stream') return 'Response';
  return isText(type) ? 'string' : 'Uint8Array';
}

function isText(type: string): boolean {
  return type.startsWith('text/') || /ndjson|pem|urlencoded/.test(type);
}

function typeOf(schema: Schema): string {
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

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, field]) => {
    return `${comment(field.description)}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field)};`;
  });
  if (typeof additionalProperties === 'object') members.push(`[name: string]: ${typeOf(additionalProperties)};`);
  else if (additionalProperties === true || members.length === 0) members.push('[name: string]: unknown;');
  return `{\n${indented(members)}\n}`;
}

function entryOf({ method, path, operation }: Route): string {
  const headers = (operation.parameters ?? []).filter(({ in: place }) => place === 'header').map(({ name }) => name);
  const types = Object.keys(operation.requestBody?.content ?? {});
  const other = types.find(type => !JSON_TYPE.test(type)) ?? '';
  return `${operation.operationId}: '${[`${method} ${path}`, headers.join(','), other].join('|').replace(/\|+$/, '')}',`;
}

function nameOf(schema: string): string {
  return schema.replace(/^Governance/, '').replace(/Dto$/, '');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : JSON.stringify(value);
}

function key(name: string): string {
  return /^[\w$]+$/.test(name) ? name : literal(name);
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function bracketed(type: string): string {
  return / [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type;
}

/** The first sentence; the API reference has the others. */
function comment(text = ''): string {
  const [first = ''] = text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim().split(END_OF_SENTENCE);
  return first === '' ? '' : `/** ${first} */\n`;
}

function indented(lines: readonly string[]): string {
  return lines.flatMap(line => line.split('\n').map(text => `  ${text}`)).join('\n');
}

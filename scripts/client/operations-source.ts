import {
  comment,
  indented,
  JSON_TYPE,
  key,
  nameOf,
  PAGE,
  shapesOf,
  typeOf,
  typeOfMedia,
  typeOfSchema,
  union,
} from './types.js';
import { routesOf, scopesOf, type OpenApiDocument, type Parameter, type Route } from './openapi.js';

/** The gateway forwards these calls to providers unchanged. Their clients are the providers' own SDKs. */
const NOT_FOR_CLIENTS = new Set(['callProvider']);

/**
 * `libs/client/operations.ts`: the types of all schemas and operations of the document, and a table of the operations.
 */
export function operationsSource(document: OpenApiDocument): string {
  const routes = routesOf(document).filter(({ operation }) => !NOT_FOR_CLIENTS.has(idOf({ operation })));
  const shapes = shapesOf(document);
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}${nameOf(name)}: ${typeOfSchema(name, schema, shapes)};`,
  );
  return `${[
    HEAD,
    SHARED,
    `/** Schemas of the OpenAPI document by name, without the prefix \`Governance\` and the suffix \`Dto\`. */`,
    `export interface Schemas {\n${indented(schemas)}\n}\n`,
    '/** Operations of the API: what each takes and answers. */',
    `export interface Operations {\n${indented(routes.map(typeOfOperation))}\n}\n`,
    '/** Method and path of each operation; then its parameters in headers; then its content type other than JSON. */',
    `export const OPERATIONS = {\n${indented(routes.map(entryOf))}\n} as const satisfies Record<keyof Operations, string>;`,
  ].join('\n')}\n`;
}

const HEAD = '// Generated from the OpenAPI document by scripts/client.mjs, and not committed.';

/** Source of the fields that many operations share. */
const ID = 'id: string;';
const PAGE_QUERY = ['cursor?: string;', 'limit?: number;'];

const SHARED = `/** No parameter, and no body. */
interface Nothing {
  body?: undefined;
}

/** The record that a path names. */
interface ById {
  ${ID}
}

interface Body<Content> {
  body: Content;
}

interface OptionalBody<Content> {
  body?: Content;
}

/** Which page of a list. */
interface PageQuery {
${indented(PAGE_QUERY)}
}

/** One page of a list. */
interface Page<Item> {
  items: Item[];
${indented(PAGE)}
}
`;

function idOf({ operation }: Pick<Route, 'operation'>): string {
  return operation.operationId ?? '';
}

function typeOfOperation(route: Route): string {
  const { operation } = route;
  const input = inputOf(route);
  const answer = answerOf(operation);
  const scopes = scopesOf(operation).replaceAll('`', '');
  const needs = scopes === '' ? '' : ` Needs ${scopes}.`;
  return `/** ${operation.summary}.${needs} */\n${idOf(route)}: { input: ${input}; answer: ${answer} };`;
}

/** All parameters in one object, and the body as `body`. Parameters that many operations share have a named type. */
function inputOf({ operation }: Route): string {
  const { parameters = [], requestBody } = operation;
  const members = parameters.map(memberOfParameter);
  const isPaged = PAGE_QUERY.every(member => members.includes(member));
  const others = members.filter(member => member !== ID && !(isPaged && PAGE_QUERY.includes(member)));
  const types = members.includes(ID) ? ['ById'] : [];
  if (isPaged) types.push('PageQuery');
  if (others.length > 0) types.push(`{\n${indented(others)}\n}`);
  if (requestBody) {
    const bodies = Object.entries(requestBody.content).map(([type, media]) => typeOfMedia(type, media));
    types.push(`${requestBody.required ? 'Body' : 'OptionalBody'}<${union(bodies)}>`);
  }
  return types.length === 0 ? 'Nothing' : types.join(' & ');
}

function memberOfParameter({ name, required, schema }: Parameter): string {
  return `${key(name)}${required ? '' : '?'}: ${typeOf(schema ?? {})};`;
}

/** The type of an operation's answer. A client that cannot choose the media type by a header gets JSON. */
function answerOf({ parameters = [], responses }: Route['operation']): string {
  const chooses = parameters.some(({ name }) => name === 'accept');
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.flatMap(([, { content }]) => {
    const all = Object.entries(content ?? {});
    const json = all.filter(([type]) => JSON_TYPE.test(type));
    const bodies = (chooses || json.length === 0 ? all : json).map(([type, media]) => typeOfMedia(type, media));
    return bodies.length > 0 ? bodies : ['undefined'];
  });
  return union(types);
}

function entryOf({ method, path, operation }: Route): string {
  const headers = (operation.parameters ?? []).filter(({ in: place }) => place === 'header').map(({ name }) => name);
  const types = Object.keys(operation.requestBody?.content ?? {});
  const other = types.find(type => !JSON_TYPE.test(type)) ?? '';
  return `${operation.operationId}: '${[`${method} ${path}`, headers.join(','), other].join('|').replace(/\|+$/, '')}',`;
}

import { namesOf } from './access-reference.js';
import {
  routesOf,
  scopesOf,
  type Media,
  type OpenApiDocument,
  type Operation,
  type Route,
  type Schema,
} from '../../scripts/client/openapi.js';

type Schemas = Record<string, Schema>;

const INTRO = `# API reference

Every operation of the HTTP API. [openapi.json](openapi.json) is the same for programs; a running app serves its own at
\`/openapi.json\` and shows it at \`/reference\`. \`npm run docs:reference\` writes this page.

- **Credential:** \`Authorization: Bearer <token>\`, an access token or a JWT of your identity provider. Each operation
  names the scopes of which it needs one.
- **Bodies** are JSON. Fields that an operation does not know are refused.
- **Errors** all have the same body: \`error\` (a fixed word), \`message\` (what to do), \`details\` (the fields at fault)
  and \`request_id\`, which is also in the header \`X-Request-Id\`.
- **Lists** are paged: send \`next_cursor\` back as \`cursor\`, with the same filters, within an hour.`;

/** The page `docs/reference/api.md`. */
export function apiReference(document: OpenApiDocument): string {
  const routes = routesOf(document);
  const groups = [...new Set(routes.map(({ operation }) => operation.tags?.[0] ?? 'Other'))].toSorted((a, b) =>
    a.localeCompare(b),
  );
  const chapters = groups.map(group => {
    const members = routes.filter(({ operation }) => operation.tags?.[0] === group);
    return [`## ${group}`, ...members.map(route => section(route, document.components.schemas))].join('\n\n');
  });
  return `${[INTRO, contents(routes, groups), ...chapters].join('\n\n')}\n`;
}

function contents(routes: Route[], groups: string[]): string {
  const rows = groups.flatMap(group =>
    routes
      .filter(({ operation }) => operation.tags?.[0] === group)
      .map(({ method, path, operation }) => {
        const id = operation.operationId ?? '';
        return [group, `[${id}](#${id.toLowerCase()})`, `\`${method} ${path}\``, cell(operation.summary)];
      }),
  );
  return table(['', 'Operation', 'Route', 'What it does'], rows);
}

function section({ method, path, operation }: Route, schemas: Schemas): string {
  const scopes = operation['x-required-scopes'];
  return [
    `### ${operation.operationId}`,
    `\`${method} ${path}\``,
    `${operation.summary}.${operation.description ? ` ${operation.description}` : ''}`,
    scopes ? `Scope: ${scopesOf(operation)}.` : 'Needs no access token.',
    ...(operation['x-conditional-scopes'] ?? []).map(
      ({ scopes: further, when }) => `Needs ${namesOf(further)} as well when ${when}.`,
    ),
    ...parameters(operation),
    ...requestBody(operation, schemas),
    ...answers(operation, schemas),
  ].join('\n\n');
}

function parameters({ parameters: list = [] }: Operation): string[] {
  if (list.length === 0) return [];
  const rows = list.map(({ name, in: place, required, description, schema = {} }) => [
    `\`${name}\`${required ? ' *' : ''}`,
    place,
    typeOf(schema),
    meaning({ ...schema, ...(description === undefined ? {} : { description }) }),
  ]);
  return [table(['Parameter', 'In', 'Type', 'Meaning'], rows)];
}

function requestBody({ requestBody: body }: Operation, schemas: Schemas): string[] {
  if (!body) return [];
  return Object.entries(body.content).flatMap(([type, media]) => {
    const optional = body.required === false ? ', may be left out' : '';
    return [`Body (\`${type}\`${optional}):`].concat(fieldTable(media.schema, schemas), example(type, media));
  });
}

function answers({ responses }: Operation, schemas: Schemas): string[] {
  const entries = Object.entries(responses).toSorted(([a], [b]) => a.localeCompare(b));
  const rows = entries.map(([status, { description, content }]) => {
    const shown = content?.['application/json']?.example;
    const isError = Number(status) >= 400 && typeof shown === 'object' && shown !== null && 'message' in shown;
    return [status, cell(description), isError ? cell(String(shown.message)) : ''];
  });
  const successes = entries.filter(([status]) => status.startsWith('2'));
  const bodies = successes.flatMap(([status, { content = {} }]) =>
    Object.entries(content).flatMap(([type, media]) =>
      [`Answer ${status} (\`${type}\`):`].concat(fieldTable(media.schema, schemas), example(type, media)),
    ),
  );
  return [table(['Status', 'When', 'Example of the message'], rows), ...bodies];
}

function example(type: string, { example: shown }: Media): string[] {
  if (shown === undefined) return [];
  if (typeof shown === 'string') return [`\`\`\`\n${shown.trimEnd().replaceAll('\r\n', '\n')}\n\`\`\``];
  return [`\`\`\`${type.includes('json') ? 'json' : ''}\n${JSON.stringify(shown, null, 2)}\n\`\`\``];
}

function fieldTable(schema: Schema | undefined, schemas: Schemas): string[] {
  const rows = schema ? fieldsOf(schema, schemas, '') : [];
  return rows.length === 0 ? [] : [table(['Field', 'Type', 'Meaning'], rows)];
}

/** The fields of a body, nested ones by path. `*` marks required fields. */
function fieldsOf(schema: Schema, schemas: Schemas, prefix: string): string[][] {
  const found = resolved(schema, schemas);
  if (found.items) return fieldsOf(found.items, schemas, `${prefix}[]`);
  return Object.entries(found.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const row = [
      `\`${path}\`${found.required?.includes(name) ? ' *' : ''}`,
      typeOf(resolved(field, schemas)),
      meaning(field),
    ];
    return [row].concat(fieldsOf(field, schemas, path));
  });
}

/** The schema itself: resolves a reference, or the only alternative that is a reference. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  const parts = [...(schema.allOf ?? []), ...(schema.oneOf ?? [])];
  const reference = schema.$ref ?? parts.find(part => part.$ref ?? part.allOf)?.$ref ?? parts[0]?.allOf?.[0]?.$ref;
  if (reference === undefined) return schema;
  return { ...schemas[reference.slice(reference.lastIndexOf('/') + 1)], nullable: schema.oneOf !== undefined };
}

function typeOf(schema: Schema): string {
  const choices = schema.oneOf?.map(typeOf) ?? [];
  if (choices.length > 0) return [...new Set(choices)].join(' or ');
  const isNullOnly = schema.enum?.length === 1 && schema.enum[0] === null;
  if (isNullOnly) return 'null';
  const name = schema.type === 'array' ? 'list' : (schema.type ?? 'any');
  const base = schema.format ? `${name} (${schema.format})` : name;
  return schema.nullable ? `${base} or null` : base;
}

function meaning(schema: Schema): string {
  const words = (schema.enum ?? schema.items?.enum)?.filter(word => word !== null);
  const notes = [
    schema.description,
    words && `One of ${words.map(word => `\`${typeof word === 'string' ? word : JSON.stringify(word)}\``).join(', ')}.`,
    range(schema),
    schema.default === undefined ? undefined : `Default: \`${JSON.stringify(schema.default)}\`.`,
  ];
  return cell(notes.filter(note => note !== undefined).join(' '));
}

function range({ minimum, maximum, maxLength, minItems, maxItems }: Schema): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`;
  if (maxLength !== undefined) return `At most ${maxLength} characters.`;
  if (maxItems !== undefined) return `${minItems ?? 0} to ${maxItems} entries.`;
  return undefined;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A text as a cell of a table: on one line, with all markup except code escaped. */
function cell(text = ''): string {
  const parts = text.replaceAll('|', '\\|').replaceAll('\n', ' ').split('`');
  return parts.map((part, at) => (at % 2 === 0 ? part.replaceAll('<', '&lt;') : part)).join('`');
}

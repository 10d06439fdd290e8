import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Json, JsonObject } from '#core';

/** A request and its answer. */
export interface ApiExchange {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body?: Json;
  readonly status: number;
  readonly answer?: Json;
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: JsonObject }[];
  requestBody?: { content: Record<string, { schema?: JsonObject }> };
  responses: Record<string, { content?: Record<string, { schema?: JsonObject }> }>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
}

const FILE = join('data', 'itsm', 'jira_cloud_openapi.json.gz');
const NAME = 'jira';

/** The path of Atlassian's OpenAPI description; undefined if it is not available. `JIRA_OPENAPI` names another file. */
export function jiraOpenApiFile(): string | undefined {
  const file = process.env['JIRA_OPENAPI'] ?? join(import.meta.dirname, '../../../../shared', FILE);
  return existsSync(file) ? file : undefined;
}

/** Validates requests and answers with Atlassian's published description of Jira Cloud's REST API. */
export class JiraOpenApi {
  private readonly description: Description;
  private readonly compiled = new Map<JsonObject, ValidateFunction>();
  private readonly ajv = new Ajv({ strict: false, validateFormats: false, coerceTypes: false });

  constructor(file: string) {
    // The description is not validated. If a field were missing, the test would fail.
    const json = JSON.parse(gunzipSync(readFileSync(file)).toString()) as JsonObject;
    this.description = json as unknown as Description;
    this.ajv.addSchema({ $id: NAME, components: json['components'] });
  }

  /** All differences between an exchange and the description; empty if there are none. */
  defects(exchange: ApiExchange): string[] {
    const { pathname, searchParams } = new URL(exchange.path, 'https://site.test');
    const found = this.operation(exchange.method, pathname);
    const what = `${exchange.method} ${pathname}`;
    if (!found) return [`${what}: there is no such operation`];
    const described = found.responses[String(exchange.status)]?.content?.['application/json'];
    // Atlassian also describes a schema for 204, although this answer has no body.
    const content = exchange.status === 204 ? undefined : described;
    return [
      ...[...searchParams].flatMap(([name, value]) => this.queryDefects(found, name, value)),
      ...(found.parameters ?? [])
        .filter(parameter => parameter.in === 'query' && parameter.required && !searchParams.has(parameter.name))
        .map(({ name }) => `${name} is missing`),
      ...this.mismatches('request', found.requestBody?.content['application/json']?.schema, exchange.body),
      ...this.mismatches('answer', content?.schema, exchange.answer),
    ].map(defect => `${what}: ${defect}`);
  }

  private operation(method: string, pathname: string): Operation | undefined {
    // Tries paths without parameters before paths with parameters.
    const paths = Object.keys(this.description.paths).sort((a, b) => a.split('{').length - b.split('{').length);
    const operations = paths.filter(path => patternOf(path).test(pathname)).map(path => this.description.paths[path]);
    return operations.flatMap(operation => operation?.[method.toLowerCase()] ?? [])[0];
  }

  private queryDefects(operation: Operation, name: string, value: string): string[] {
    const parameter = operation.parameters?.find(each => each.in === 'query' && each.name === name);
    if (!parameter) return [`the query ${name} is unknown`];
    const { type, maximum } = parameter.schema;
    if (type !== 'integer') return [];
    const most = typeof maximum === 'number' ? maximum : Infinity;
    const ok = /^\d+$/.test(value) && Number(value) <= most;
    return ok ? [] : [`the query ${name} is no whole number of at most ${most}`];
  }

  private mismatches(what: string, schema: JsonObject | undefined, value: Json | undefined): string[] {
    if (!schema) return [];
    if (value === undefined) return [`the ${what} has no body`];
    let validate = this.compiled.get(schema);
    if (!validate) this.compiled.set(schema, (validate = this.ajv.compile(absolute(schema))));
    return validate(value) ? [] : [`the ${what} is not as described: ${this.ajv.errorsText(validate.errors)}`];
  }
}

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map(part => (part.startsWith('{') ? '[^/]+' : part.replaceAll(/[.+]/g, String.raw`\$&`)));
  return new RegExp(`^${parts.join('/')}$`);
}

/** Makes references of a schema absolute, so that they resolve within the description. */
function absolute(schema: JsonObject): JsonObject {
  // The cast is safe: a schema is JSON, so its copy is JSON, too.
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${NAME}#/`)) as JsonObject;
}

import { NestFactory } from '@nestjs/core';
import { createOpenApiDocument, GovernanceModule } from 'nest-llm-governance';

/** The parts of a schema that the reference and its checks read. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: unknown[];
  nullable?: boolean;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** A body in one content type. */
export interface Media {
  schema?: Schema;
  example?: unknown;
}

/** A parameter in path, query or header. */
export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

/** One operation of the API. */
export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<
    string,
    { description?: string; headers?: Record<string, unknown>; content?: Record<string, Media> }
  >;
  'x-required-scopes'?: string[];
  'x-further-scopes'?: string[];
  'x-conditional-scopes'?: { scopes: string[] | string; when: string }[];
}

/** The document that the app publishes. */
export interface OpenApiDocument {
  info: { title: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** An operation with its path and method. */
export interface Route {
  method: string;
  path: string;
  operation: Operation;
}

/**
 * The document of a host that mounts every route at the root. Nest's preview mode reads the routes and creates no
 * provider, so no database is needed.
 */
export async function readOpenApiDocument(): Promise<OpenApiDocument> {
  const options = { database: { url: 'postgres://127.0.0.1/none' }, keys: KEYS, health: true } as const;
  const app = await NestFactory.create(GovernanceModule.forRoot(options), {
    preview: true,
    logger: ['error'],
    abortOnError: false,
  });
  try {
    // Converts the document to JSON and back, because readers get JSON. It is not validated here: the project creates
    // it itself, and the tests report its errors.
    return JSON.parse(JSON.stringify(createOpenApiDocument(app))) as OpenApiDocument;
  } finally {
    await app.close();
  }
}

const KEYS = `k1:${Buffer.alloc(32, 5).toString('base64')}`;

/** Every operation of the document, in order. */
export function routesOf(document: OpenApiDocument): Route[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The scopes that every request of an operation needs. */
export function scopesOf(operation: Operation): string {
  const one = (operation['x-required-scopes'] ?? []).map(scope => `\`${scope}\``).join(' or ');
  return [one, ...(operation['x-further-scopes'] ?? []).map(scope => `\`${scope}\``)].join(' and ');
}

import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  type?: string;
  enum?: unknown[];
  nullable?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  default?: unknown;
  example?: unknown;
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: unknown;
}

interface Bodies {
  requestBody?: { content?: Record<string, Media> };
  responses?: Record<string, { content?: Record<string, Media> }>;
}

/**
 * Adds an example to every body in the document. The example consists of the examples of the fields. Existing examples
 * are kept.
 */
export function addBodyExamples(document: OpenAPIObject): void {
  // Swagger's types allow references and both versions of the format. This module has built these schemas itself, so
  // their form is known.
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const operation of Object.values(document.paths).flatMap(path => Object.values(path) as Bodies[])) {
    const contents = [operation.requestBody, ...Object.values(operation.responses ?? {})].map(part => part?.content);
    for (const media of contents.flatMap(content => Object.values(content ?? {}))) {
      if (!media.schema || media.example !== undefined || media.examples !== undefined) continue;
      const example = exampleOf(media.schema, schemas);
      if (example !== undefined) media.example = example;
    }
  }
}

function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  if (schema.example !== undefined) return schema.example;
  const referred = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (referred !== undefined) {
    const target = schemas[referred.slice(referred.lastIndexOf('/') + 1)];
    return target && exampleOf(target, schemas);
  }
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, field]) => [name, exampleOf(field, schemas)]);
    return Object.fromEntries(fields.filter(([, example]) => example !== undefined));
  }
  if (schema.type === 'array' && schema.items) {
    const item = exampleOf(schema.items, schemas);
    return item === undefined ? undefined : [item];
  }
  if (schema.type === 'object') return {};
  return schema.default ?? schema.enum?.[0];
}

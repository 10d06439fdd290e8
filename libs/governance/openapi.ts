import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { GovernanceCoreModule } from './composition/core.module.js';
import { LIBRARIES } from './composition/libraries.js';
import { addBodyExamples } from './openapi-examples.js';

/** The OpenAPI document of this module's routes only, with the paths under which the given application mounts them. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('LLM usage governance')
    .setDescription(
      'Policies, decisions, usage, users, devices and webhooks of an organization. Times are ISO 8601; lists are paged by ' +
        'cursor; every error has the same body.',
    )
    .setVersion('1')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'An access token or a JWT of your identity provider.',
    })
    .build();
  const document = SwaggerModule.createDocument(app, config, { include: [GovernanceCoreModule, ...LIBRARIES] });
  allowNull(document);
  addBodyExamples(document);
  return document;
}

/**
 * The host's OpenAPI document without the routes and schemas of this package. For a host that documents them elsewhere
 * or not at all. Declarations of the host stay unchanged.
 */
export function withoutGovernanceRoutes(app: INestApplication, document: OpenAPIObject): OpenAPIObject {
  const ours = createOpenApiDocument(app);
  const ourPaths = new Map(Object.entries(ours.paths));
  const { components = {} } = document;
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths).flatMap(([path, operations]) => {
        const left = without(operations, ourPaths.get(path));
        return Object.keys(left).length > 0 ? [[path, left]] : [];
      }),
    ),
    components: { ...components, schemas: without(components.schemas ?? {}, ours.components?.schemas) },
  };
}

function without<T extends object>(all: T, some: object = {}): T {
  const left = Object.entries(all).filter(([name]) => !Object.hasOwn(some, name));
  // Only optional members were removed, so the type stays the same.
  return Object.fromEntries(left) as T;
}

/** A schema that only null matches. */
const NULL_ONLY = { type: 'string', nullable: true, enum: [null] };

/**
 * `nullable` only adds null to the `type` in the same schema (OpenAPI 3.0.3, proposal "clarify nullable"). An enum must
 * also list null, and a union or a reference needs null as an alternative.
 */
function allowNull(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  for (const child of Object.values(part)) allowNull(child);
  if (Reflect.get(part, 'nullable') !== true) return;
  const { enum: values, oneOf, allOf } = part as { enum?: unknown; oneOf?: unknown; allOf?: unknown };
  // Copies the list, because the given one may be a shared constant.
  if (Array.isArray(values) && !values.includes(null)) Reflect.set(part, 'enum', [...(values as unknown[]), null]);
  if (!Array.isArray(oneOf) && !Array.isArray(allOf)) return;
  const alternatives: unknown[] = Array.isArray(oneOf) ? oneOf : [{ allOf }];
  Reflect.set(part, 'oneOf', [...alternatives, NULL_ONLY]);
  for (const key of ['nullable', 'type', 'allOf']) Reflect.deleteProperty(part, key);
}

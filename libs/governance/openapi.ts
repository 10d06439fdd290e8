import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { GovernanceModule } from './governance.module.js';

/** The OpenAPI document of this module's routes alone, as they are mounted in the given application. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('LLM usage governance')
    .setDescription(
      'Policies, decisions, usage and users of an organization. Times are ISO 8601; lists are paged by cursor; every ' +
        'error has the same body.',
    )
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An access token or a JWT of your identity provider.' })
    .build();
  const document = SwaggerModule.createDocument(app, config, { include: [GovernanceModule] });
  allowNullInEnums(document);
  return document;
}

/** A nullable enum must list null too, or no null is valid (OpenAPI 3.0.3, proposal "clarify nullable"). */
function allowNullInEnums(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const { enum: values, nullable } = part as { enum?: unknown; nullable?: unknown };
  if (nullable === true && Array.isArray(values) && !values.includes(null)) values.push(null);
  for (const child of Object.values(part)) allowNullInEnums(child);
}

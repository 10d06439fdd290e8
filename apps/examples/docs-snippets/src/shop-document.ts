import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { withoutGovernanceRoutes } from 'nest-llm-governance';

/** The OpenAPI document of the shop's own routes. It omits the routes of governance. */
export function shopDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder().setTitle('Shop').setVersion('1').build();
  return withoutGovernanceRoutes(app, SwaggerModule.createDocument(app, config));
}

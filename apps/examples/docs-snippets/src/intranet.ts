import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SwaggerModule } from '@nestjs/swagger';
import { createOpenApiDocument, ErrorFilter } from 'nest-llm-governance';
import { IntranetModule } from './intranet.module.js';

/**
 * Creates the intranet app without listening. Governance parses request bodies itself, because the host has no other
 * routes with bodies.
 */
export async function createIntranet(databaseUrl: string, keys: string): Promise<INestApplication> {
  const app = await NestFactory.create(IntranetModule.with(databaseUrl, keys), {
    bodyParser: false,
    logger: ['error', 'warn'],
  });
  app.useGlobalFilters(new ErrorFilter());
  SwaggerModule.setup('reference', app, createOpenApiDocument(app), { jsonDocumentUrl: 'openapi.json' });
  app.enableShutdownHooks();
  return app;
}

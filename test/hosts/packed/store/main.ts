import 'reflect-metadata';
import { MikroORM } from '@mikro-orm/postgresql';
import { VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { GovernanceOperations, withoutGovernanceRoutes } from 'nest-llm-governance';
import { AppModule } from './app.module.js';

const { DATABASE_URL: databaseUrl = '', GOVERNANCE_KEYS: keys = '', GOVERNED, EXTRA = '{}' } = process.env;
// The test sets EXTRA, so it is valid JSON.
const extra = JSON.parse(EXTRA) as Record<string, unknown>;
const isGoverned = GOVERNED === 'yes';
const app = await NestFactory.create(AppModule.with({ databaseUrl, keys, isGoverned, extra }), { logger: ['error'] });
app.setGlobalPrefix('api');
app.enableVersioning({ type: VersioningType.URI });
app.enableCors({ origin: 'https://store.example' });
app.enableShutdownHooks();
await app.get(MikroORM).schema.update();
await app.listen(0, '127.0.0.1');

const document = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Store').build());
const own = isGoverned ? withoutGovernanceRoutes(app, document) : document;
const first = isGoverned ? await app.get(GovernanceOperations).ensureFirstOrganization({}) : undefined;
const ready = {
  url: await app.getUrl(),
  orgId: first?.orgId,
  token: first?.newAdminToken,
  document: own,
  schemas: Object.keys(document.components?.schemas ?? {}),
  jobs: [...app.get(SchedulerRegistry).getCronJobs().keys()],
};
process.stdout.write(`ready ${JSON.stringify(ready)}\n`);

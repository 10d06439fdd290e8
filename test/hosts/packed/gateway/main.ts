import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { BearerPrincipalResolver, GovernanceModule, GovernanceOperations } from 'nest-llm-governance';
import { Pool } from 'pg';
import { BookingsController } from './bookings.controller.js';
import { ServedBy } from './served-by.interceptor.js';
import { ORGANIZATION, SessionPrincipals } from './sessions.js';

const { DATABASE_URL: databaseUrl = '', GOVERNANCE_KEYS: keys = '', GOVERNED } = process.env;
const isGoverned = GOVERNED === 'yes';

const governance = GovernanceModule.forRoot({
  principalResolver: [SessionPrincipals, BearerPrincipalResolver],
  database: { url: databaseUrl, migrations: 'run' },
  keys,
});

@Module({
  imports: isGoverned ? [governance] : [],
  controllers: [BookingsController],
  providers: [
    { provide: Pool, useFactory: () => new Pool({ connectionString: databaseUrl }) },
    { provide: APP_INTERCEPTOR, useClass: ServedBy },
  ],
})
class GatewayModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(GatewayModule, new FastifyAdapter(), { logger: ['error'] });
  app.enableShutdownHooks();
  await app.get(Pool).query('create table if not exists bookings (id text primary key)');
  await app.listen(0, '127.0.0.1');
  if (isGoverned) await app.get(GovernanceOperations).ensureFirstOrganization({ id: ORGANIZATION });
  process.stdout.write(`ready ${JSON.stringify({ url: await app.getUrl() })}\n`);
}

void main();

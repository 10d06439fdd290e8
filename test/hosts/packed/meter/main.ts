import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import {
  createOpenApiDocument,
  GovernanceModule,
  GovernanceOperations,
  PolicyModule,
  UsageModule,
} from 'nest-llm-governance';
import { Pool } from 'pg';
import { People } from './people.js';

const { DATABASE_URL: databaseUrl = '', GOVERNANCE_KEYS: keys = '', GOVERNED } = process.env;
const isGoverned = GOVERNED === 'yes';

@Module({
  providers: [{ provide: Pool, useFactory: () => new Pool({ connectionString: databaseUrl }) }],
  exports: [Pool],
})
class PoolModule {}

@Controller('health')
class HealthController {
  @Get()
  check(): string {
    return 'fine';
  }
}

const governance = GovernanceModule.forRoot({
  libraries: [PolicyModule, UsageModule],
  imports: [PoolModule],
  userDirectory: { useFactory: (pool: Pool) => new People(pool), inject: [Pool] },
  database: { url: databaseUrl, migrations: 'run' },
  keys,
});

@Module({
  imports: [PoolModule, ScheduleModule.forRoot(), ...(isGoverned ? [governance] : [])],
  controllers: [HealthController],
})
class MeterModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(MeterModule, { logger: ['error'] });
  app.enableShutdownHooks();
  const people = 'create table if not exists people (id uuid primary key, email text not null, name text not null)';
  await app.get(Pool).query(people);
  await app.listen(0, '127.0.0.1');
  const first = isGoverned ? await app.get(GovernanceOperations).ensureFirstOrganization({}) : undefined;
  const ready = {
    url: await app.getUrl(),
    orgId: first?.orgId,
    token: first?.newAdminToken,
    paths: isGoverned ? Object.keys(createOpenApiDocument(app).paths) : [],
    jobs: [...app.get(SchedulerRegistry).getCronJobs().keys()],
  };
  process.stdout.write(`ready ${JSON.stringify(ready)}\n`);
}

void main();

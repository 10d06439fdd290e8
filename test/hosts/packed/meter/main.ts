import 'reflect-metadata';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import {
  createOpenApiDocument,
  GovernanceModule,
  GovernanceOperations,
  PolicyModule,
  UsageModule,
  WebhooksModule,
} from 'nest-llm-governance';
import { Pool } from 'pg';
import { CallsController } from './calls.controller.js';
import { People } from './people.js';

const { DATABASE_URL: databaseUrl = '', GOVERNANCE_KEYS: keys = '', GOVERNED } = process.env;
const isGoverned = GOVERNED !== 'no';
/** The libraries of governance that the host has chosen at first, or with another one that it has added later. */
const libraries =
  GOVERNED === 'with webhooks' ? [PolicyModule, UsageModule, WebhooksModule] : [PolicyModule, UsageModule];

@Module({
  providers: [
    { provide: Pool, useFactory: () => new Pool({ connectionString: databaseUrl }) },
    { provide: People, useFactory: (pool: Pool) => new People(pool), inject: [Pool] },
  ],
  exports: [Pool, People],
})
class PeopleModule {}

/** The host's own job, every second. */
@Injectable()
class HeartbeatJob {
  private readonly since = performance.now();
  private beats = 0;

  @Cron('* * * * * *', { name: 'beat' })
  beat(): void {
    this.beats++;
  }

  get state(): { beats: number; seconds: number } {
    return { beats: this.beats, seconds: (performance.now() - this.since) / 1_000 };
  }
}

@Controller('health')
class HealthController {
  constructor(private readonly heartbeat: HeartbeatJob) {}

  @Get('beats')
  beats(): { beats: number; seconds: number } {
    return this.heartbeat.state;
  }

  @Get()
  check(): string {
    return 'fine';
  }
}

const governance = GovernanceModule.forRoot({
  libraries,
  imports: [PeopleModule],
  userDirectory: { useExisting: People },
  database: { url: databaseUrl, migrations: 'run' },
  keys,
});

@Module({
  imports: [PeopleModule, ScheduleModule.forRoot(), ...(isGoverned ? [governance] : [])],
  providers: [HeartbeatJob],
  controllers: [HealthController, ...(isGoverned ? [CallsController] : [])],
})
class MeterModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(MeterModule, { logger: ['error'] });
  app.enableShutdownHooks();
  const people = 'create table if not exists people (id uuid primary key, email text not null, name text not null)';
  await app.get(Pool).query(people);
  await app.get(Pool).query('create table if not exists calls (id text primary key)');
  await app.listen(0, '127.0.0.1');
  const first = isGoverned ? await app.get(GovernanceOperations).ensureFirstOrganization({}) : undefined;
  const ready = {
    url: await app.getUrl(),
    orgId: first?.orgId,
    token: first?.newAdminToken,
    directories: People.made,
    paths: isGoverned ? Object.keys(createOpenApiDocument(app).paths) : [],
    jobs: [...app.get(SchedulerRegistry).getCronJobs().keys()],
  };
  process.stdout.write(`ready ${JSON.stringify(ready)}\n`);
}

void main();

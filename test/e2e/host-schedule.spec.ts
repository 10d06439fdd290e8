import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { Governance, GovernanceModule } from 'nest-llm-governance';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { createOrganization, createToken } from '../support/seed.js';
import type { TestDatabase } from '../support/test-postgres.js';

const KEYS = `k1:${Buffer.alloc(32, 8).toString('base64')}`;
const MODEL = { provider: 'acme', model: 'acme-1' };
/** A schedule that is due only on February 29, so that a job runs only if the test triggers it. */
const NEVER = '0 0 0 29 2 *';

let ticks: string[] = [];

/** The host's own jobs. One of them has no name. */
@Injectable()
class ShopJobs {
  @Cron(NEVER, { name: 'report' })
  report(): void {
    ticks.push('report');
  }

  @Cron(NEVER)
  cleanUp(): void {
    ticks.push('clean up');
  }
}

interface Replica {
  app: INestApplication;
  jobs: Map<string, CronJob>;
  /** Number of jobs that were started in this process while the replica booted, in any registry. */
  started: number;
}

/** Jobs of the replicas that have started so far. */
const known = new Set<unknown>();

async function startReplica(url: string, isGoverned = true): Promise<Replica> {
  const governance = GovernanceModule.forRoot({
    database: { url, migrations: 'check' },
    keys: KEYS,
    path: 'governance',
  });

  @Module({ imports: [ScheduleModule.forRoot(), ...(isGoverned ? [governance] : [])], providers: [ShopJobs] })
  class Shop {}

  const starts = jest.spyOn(CronJob.prototype, 'start');
  const app = await NestFactory.create(Shop, { logger: ['error', 'warn'], abortOnError: false });
  await app.listen(0, '127.0.0.1');
  // Leaves out jobs of earlier replicas, because a job starts again after each of its ticks.
  const started = [...new Set<unknown>(starts.mock.contexts)].filter(job => !known.has(job)).length;
  starts.mockRestore();
  const jobs = app.get(SchedulerRegistry).getCronJobs();
  for (const job of jobs.values()) known.add(job);
  return { app, jobs, started };
}

const ours = ({ jobs }: Replica): string[] =>
  [...jobs.keys()].filter(name => name.startsWith('governance:')).toSorted();

/** Runs every job of the host on a replica, as if it were due. */
async function runOwn({ jobs }: Replica): Promise<string[]> {
  ticks = [];
  for (const [name, job] of jobs) if (!name.startsWith('governance:')) await job.fireOnTick();
  return ticks.toSorted();
}

describe('a host with ScheduleModule and its own jobs', () => {
  let database: TestDatabase;
  let alone: Replica;
  let replicas: [Replica, Replica];

  beforeAll(async () => {
    database = await createMigratedDatabase();
    alone = await startReplica(database.url, false);
    replicas = [await startReplica(database.url), await startReplica(database.url)];
  });

  afterAll(async () => {
    for (const replica of [alone, ...(replicas ?? [])]) await replica?.app.close();
    await database?.drop();
  });

  it('has each of its jobs and of ours once in one registry', () => {
    expect(alone.jobs.size).toBe(2);
    for (const replica of replicas) {
      expect(ours(replica)).toEqual(
        expect.arrayContaining([
          'governance:approval-expiry',
          'governance:audit-anchors',
          'governance:partitions',
          'governance:request-windows',
          'governance:reservation-expiry',
          'governance:token-use',
          'governance:usage-partitions',
        ]),
      );
      expect(replica.jobs.size).toBe(alone.jobs.size + ours(replica).length);
      expect(replica.started).toBe(replica.jobs.size);
    }
  });

  it('runs its jobs once per replica, as without us', async () => {
    expect(await runOwn(alone)).toEqual(['clean up', 'report']);
    for (const replica of replicas) expect(await runOwn(replica)).toEqual(['clean up', 'report']);
  });

  it('releases each reservation once if both replicas run our job at the same time', async () => {
    const { app } = replicas[0];
    const orgId = await createOrganization(app, 'Shop');
    const token = await createToken(app, orgId, 'admin');
    const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const answer = await fetch(`${await app.getUrl()}/governance${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await answer.json()) as Record<string, unknown>;
    };
    const { id: userId } = await call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada' });
    await call('PUT', '/v1/prices', { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 });
    const terms = { scope: 'organization', amount_usd: 10, period: 'monthly', enforcement: 'block' };
    const { id } = await call('POST', '/v1/budgets', { name: 'All', ...terms });
    const request = { ...MODEL, user_id: String(userId), estimated_input_tokens: 100_000, max_output_tokens: 200_000 };
    for (let count = 0; count < 3; count++) await app.get(Governance).decide(orgId, request);
    expect(await call('GET', `/v1/budgets/${String(id)}`)).toMatchObject({ reserved_usd: 0.9 });

    await database.asOwner(
      `update governance.reservations set expires_at = now() - interval '1 hour' where org_id = $1`,
      [orgId],
    );
    for (const { jobs } of replicas) void jobs.get('governance:reservation-expiry')?.fireOnTick();
    const reserved = async () => (await call('GET', `/v1/budgets/${String(id)}`))['reserved_usd'];
    const until = performance.now() + 20_000;
    while ((await reserved()) !== 0 && performance.now() < until) await new Promise(done => setTimeout(done, 20));
    expect(await reserved()).toBe(0);
    expect(await database.asOwner('select id from governance.reservations where org_id = $1', [orgId])).toEqual([]);
  });
});

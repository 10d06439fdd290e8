import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { OrgDatabase } from '#database';
import type { ScheduledJob } from '#scheduler';
import { startAccessReplica } from '../testing/access-replica.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-postgres.js';
import { StoredRequestLimiter } from './stored-request-limiter.js';

describe('the request limit', () => {
  let database: TestDatabase;
  let replica: Awaited<ReturnType<typeof startAccessReplica>>;
  let other: Awaited<ReturnType<typeof startAccessReplica>>;
  let key = 0;
  const jobs: ScheduledJob[] = [];
  const clock = new ManualClock();

  beforeAll(async () => {
    database = await createTestDatabase();
    replica = await startAccessReplica(database, { clock: new ManualClock() });
    other = await startAccessReplica(database, { clock: new ManualClock() });
  });

  afterEach(() => {
    jest.restoreAllMocks();
    key++;
  });

  afterAll(async () => {
    await replica.close();
    await other.close();
    await database.drop();
  });

  const limiterOf = (requestsPerMinute: number, on: OrgDatabase = replica.database) =>
    new StoredRequestLimiter({ requestsPerMinute }, on, clock, { add: job => (jobs.push(job), async () => 0) });

  it('allows exactly the configured number of requests, over all replicas', async () => {
    const limiters = [limiterOf(10), limiterOf(10, other.database)];
    const states = await Promise.all(Array.from({ length: 25 }, (_, n) => limiters[n % 2]!.consume(`key ${key}`)));
    expect(states.filter(state => state?.exceeded === false)).toHaveLength(10);
    expect(states.filter(state => state?.exceeded === true)).toHaveLength(15);
  });

  it('counts down, returns the end of the window, and then begins a new one', async () => {
    const limiter = limiterOf(2);
    const base = { limit: 2, windowSeconds: 60 };
    expect(await limiter.consume(`key ${key}`)).toEqual({ ...base, remaining: 1, resetSeconds: 60, exceeded: false });
    expect(await limiter.consume(`key ${key}`)).toMatchObject({ remaining: 0, exceeded: false });
    expect(await limiter.consume(`key ${key}`)).toMatchObject({ remaining: 0, exceeded: true });
    const fresh = limiterOf(2, other.database);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_001);
    expect(await fresh.consume(`key ${key}`)).toMatchObject({ remaining: 1, exceeded: false });
  });

  it('counts each key separately', async () => {
    const limiter = limiterOf(1);
    expect(await limiter.consume(`key ${key} a`)).toMatchObject({ exceeded: false });
    expect(await limiter.consume(`key ${key} b`)).toMatchObject({ exceeded: false });
  });

  it('refuses a used-up key without a query', async () => {
    const limiter = limiterOf(1);
    await limiter.consume(`key ${key}`);
    const query = jest.spyOn(replica.database, 'global');
    const state = await limiter.consume(`key ${key}`);
    expect(state).toMatchObject({ exceeded: true, remaining: 0 });
    expect(state!.resetSeconds).toBeGreaterThan(55);
    expect(query).not.toHaveBeenCalled();
  });

  it('continues counting in memory while the database is down', async () => {
    const limiter = limiterOf(2);
    jest.spyOn(replica.database, 'global').mockRejectedValue(new Error('away'));
    const exceeded = [];
    for (let n = 0; n < 3; n++) exceeded.push((await limiter.consume(`key ${key}`))?.exceeded);
    expect(exceeded).toEqual([false, false, true]);
  });

  it('does not wait for a database that does not answer, and logs the fallback', async () => {
    const limiter = limiterOf(2);
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    jest.spyOn(replica.database, 'global').mockReturnValue(new Promise(() => undefined));
    expect(await limiter.consume(`key ${key}`)).toMatchObject({ exceeded: false });
    expect(warn).toHaveBeenCalledWith('Each replica counts requests for itself: no answer within 1000 ms');
  });

  it('logs the start and the end of an outage, each once', async () => {
    const limiter = limiterOf(9);
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const query = jest.spyOn(replica.database, 'global').mockRejectedValue(new Error('away'));
    for (let n = 0; n < 3; n++) await limiter.consume(`key ${key}`);
    query.mockRestore();
    for (let n = 0; n < 3; n++) await limiter.consume(`key ${key}`);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      'Each replica counts requests for itself: away',
      'Requests are counted over all replicas again',
    ]);
  });

  it('stores no name of the caller', async () => {
    await limiterOf(5).consume('org:token:somebody');
    const rows = await database.asOwner<{ key: string }>('select key from governance.rate_limits');
    expect(rows.every(row => /^[\w-]{43}$/.test(row.key))).toBe(true);
  });

  it('deletes the windows that ended an hour ago by the clock', async () => {
    const minute = 60_000;
    const now = clock.now().getTime();
    const windows = [now - 61 * minute, now - 59 * minute];
    await database.asOwner(`insert into governance.rate_limits values ('old', 1, $1), ('recent', 1, $2)`, windows);
    limiterOf(5);
    await jobs.at(-1)?.round();
    const left = `select key from governance.rate_limits where key in ('old', 'recent')`;
    expect(await database.asOwner(left)).toEqual([{ key: 'recent' }]);
  });

  it('fails its job if the windows cannot be deleted, so that the scheduler reports it', async () => {
    limiterOf(5);
    jest.spyOn(replica.database, 'global').mockRejectedValue(new Error('away'));
    await expect(jobs.at(-1)?.round()).rejects.toThrow('away');
  });

  it('is off at 0', async () => {
    expect(await limiterOf(0).consume('anybody')).toBeNull();
  });
});

describe('the request limit over HTTP', () => {
  it('shows the window in every answer and answers 429 with Retry-After above the limit', async () => {
    const database = await createTestDatabase();
    const replica = await startAccessReplica(database, { clock: new ManualClock(), access: { requestsPerMinute: 2 } });
    try {
      const { OrganizationService } = await import('../organizations/organization.service.js');
      const { TokenService } = await import('../tokens/token.service.js');
      const { id } = await replica.app.get(OrganizationService).create('Limited');
      const { token } = await replica.app.get(TokenService).issue(id, { name: 'x', role: 'admin' });
      const ask = () => fetch(`${replica.url}/v1/organization`, { headers: { authorization: `Bearer ${token}` } });
      const first = await ask();
      expect(first.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60');
      expect(first.headers.get('ratelimit')).toMatch(/^"default";r=1;t=(60|59)$/);
      await ask();
      const third = await ask();
      expect(third.status).toBe(429);
      expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(55);
      expect(await third.json()).toMatchObject({ error: 'rate_limited', message: expect.stringContaining('wait') });
    } finally {
      await replica.close();
      await database.drop();
    }
  });
});

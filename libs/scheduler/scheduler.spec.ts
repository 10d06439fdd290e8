import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { OrgDatabase } from '#database';
import { Scheduler, SCHEDULER_OPTIONS, type SchedulerOptions } from './scheduler.js';

describe('the scheduler', () => {
  const closing: (() => Promise<void>)[] = [];
  const database = { beforeClose: (work: () => Promise<void>) => void closing.push(work) };
  const close = () => Promise.all(closing.map(work => work()));

  beforeEach(() => {
    closing.length = 0;
    jest.useFakeTimers({ now: new Date('2026-11-20T10:00:00.000Z') });
  });

  afterEach(async () => {
    await close();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** A job that runs every second. Each number is the amount that one run processes. */
  function countingJob(amounts: number[], isDueAtStart = false) {
    let rounds = 0;
    const round = async () => {
      rounds++;
      return amounts.shift() ?? 0;
    };
    const job = { name: `job-${Math.random()}`, pattern: '* * * * * *', isDueAtStart, failure: 'It failed', round };
    return { ...job, rounds: () => rounds };
  }

  it('runs a job at each time of its pattern, in rounds until nothing is left', async () => {
    const scheduler = new Scheduler(database, {});
    const job = countingJob([5, 3, 0, 2]);
    scheduler.add(job);
    scheduler.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(999);
    expect(job.rounds()).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(job.rounds()).toBe(3);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(job.rounds()).toBe(5);
  });

  it('runs a job at the start if it is due then', () => {
    const scheduler = new Scheduler(database, {});
    const [early, late] = [countingJob([], true), countingJob([])];
    for (const each of [early, late]) scheduler.add(each);
    scheduler.onApplicationBootstrap();
    expect([early.rounds(), late.rounds()]).toEqual([1, 0]);
  });

  it('runs only the process’s own jobs if workers are off, and any job on request', async () => {
    const scheduler = new Scheduler(database, { workers: false });
    const [shared, own] = [countingJob([4, 1], true), { ...countingJob([]), runsEverywhere: true }];
    const run = scheduler.add(shared);
    scheduler.add(own);
    scheduler.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(10_000);
    expect([shared.rounds(), own.rounds()]).toEqual([0, 10]);
    expect(await run()).toBe(5);
  });

  it('runs a job once at a time and shares the run with concurrent callers', async () => {
    const scheduler = new Scheduler(database, {});
    const job = countingJob([1, 1, 1]);
    const run = scheduler.add(job);
    expect(await Promise.all([run(), run(), run()])).toEqual([3, 3, 3]);
    expect(job.rounds()).toBe(4);
    expect(await run()).toBe(0);
  });

  it('runs a job again after it failed, and logs when', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const scheduler = new Scheduler(database, {});
    const round = jest.fn<() => Promise<number>>().mockRejectedValueOnce(new Error('no database')).mockResolvedValue(0);
    scheduler.add({ name: 'failing', pattern: '* * * * * *', failure: 'It failed', round });
    scheduler.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(round).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls).toEqual([['It failed; the next try is at 2026-11-20T10:00:02.000Z: no database']]);
  });

  it('logs a continuing failure once an hour, until the job has succeeded or fails in another way', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const scheduler = new Scheduler(database, {});
    const gone = (code: string) => Object.assign(new Error(code), { code });
    const failures: (Error | undefined)[] = [];
    const round = async () => {
      const error = failures.shift();
      if (error) throw error;
      return 0;
    };
    scheduler.add({ name: 'failing', pattern: '* * * * * *', failure: 'It failed', round });
    scheduler.onApplicationBootstrap();
    const logged = async (errors: (Error | undefined)[]) => {
      failures.push(...errors);
      await jest.advanceTimersByTimeAsync(errors.length * 1_000);
      return warn.mock.calls.splice(0).map(([line]) => String(line).replace(/.*: /, ''));
    };
    // Both errors mean that the database is unreachable: the messages differ, but the reason is the same.
    expect(await logged([gone('ECONNREFUSED'), gone('ECONNRESET'), gone('ECONNREFUSED')])).toEqual(['ECONNREFUSED']);
    expect(await logged([new Error('a fault'), new Error('a fault'), new Error('another')])).toEqual([
      'a fault',
      'another',
    ]);
    expect(await logged([undefined, new Error('another')])).toEqual(['another']);
    expect(await logged(Array.from({ length: 3_601 }, () => new Error('another')))).toEqual(['another']);
  });

  it('finishes the running round before the connections close, and starts no other', async () => {
    const scheduler = new Scheduler(database, {});
    let rounds = 0;
    let end = () => {};
    const run = scheduler.add({
      name: 'long',
      pattern: '* * * * * *',
      failure: 'It failed',
      round: () => {
        rounds++;
        return new Promise(resolve => (end = () => resolve(1)));
      },
    });
    scheduler.onApplicationBootstrap();
    const running = run();
    let closed = false;
    const closes = close().then(() => (closed = true));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(closed).toBe(false);
    end();
    await closes;
    expect([await running, rounds]).toEqual([1, 1]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(rounds).toBe(1);
  });
});

describe('a host with ScheduleModule', () => {
  const never = '0 0 1 1 *';
  let ticks = 0;

  @Injectable()
  class HostJobs {
    @Cron(never, { name: 'report' })
    report(): void {
      ticks++;
    }
  }

  async function startHost(imports: unknown[]) {
    const stopping: (() => Promise<void>)[] = [];
    @Module({
      imports: imports as [],
      providers: [
        HostJobs,
        Scheduler,
        { provide: SCHEDULER_OPTIONS, useValue: {} satisfies SchedulerOptions },
        { provide: OrgDatabase, useValue: { beforeClose: (work: () => Promise<void>) => void stopping.push(work) } },
      ],
    })
    class Host {}
    const app = await NestFactory.createApplicationContext(Host, { logger: false });
    return { app, stop: () => Promise.all(stopping.map(stop => stop())).then(() => app.close()) };
  }

  /** Adds a job. No schedule triggers it during the test. */
  async function startWithJob(imports: unknown[]) {
    let rounds = 0;
    const host = await startHost(imports);
    const scheduler = host.app.get(Scheduler);
    scheduler.add({
      name: 'expiry',
      pattern: '0 0 0 1 1 *',
      failure: 'It failed',
      round: async () => {
        rounds++;
        return 0;
      },
    });
    // The host's own bootstrap has already run, so the scheduler's bootstrap is called again for the job.
    scheduler.onApplicationBootstrap();
    return { ...host, rounds: () => rounds };
  }

  it('lists our jobs next to its own, runs them and stops them', async () => {
    const host = await startWithJob([ScheduleModule.forRoot()]);
    const registry = host.app.get(SchedulerRegistry);
    expect([...registry.getCronJobs().keys()].toSorted()).toEqual(['governance:expiry', 'report']);
    await registry.getCronJob('governance:expiry').fireOnTick();
    expect(host.rounds()).toBe(1);
    void registry.getCronJob('governance:expiry').stop();
    expect(registry.getCronJob('governance:expiry').isActive).toBe(false);
    await registry.getCronJob('report').fireOnTick();
    expect(ticks).toBe(1);
    await host.stop();
    expect(registry.doesExist('cron', 'governance:expiry')).toBe(false);
  });

  it('is not required', async () => {
    const host = await startWithJob([]);
    expect(() => host.app.get(SchedulerRegistry)).toThrow('SchedulerRegistry');
    await host.stop();
  });
});

import { Inject, Injectable, Logger, Optional, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { messageOf } from '#core';
import { isOutage, OrgDatabase } from '#database';

/** Options of the scheduler. */
export interface SchedulerOptions {
  /** Whether this process does background work. Default: true. */
  workers?: boolean;
}

/** Injection token of {@link SchedulerOptions}. */
export const SCHEDULER_OPTIONS = Symbol('governance.scheduler-options');

/** Milliseconds after which a continuing failure is logged again. */
const AGAIN_AFTER_MS = 3_600_000;

/** A job that every replica runs repeatedly. Two replicas may run it at the same time. */
export interface ScheduledJob {
  /** Name of the job. In the registry, it has the prefix `governance:`. */
  readonly name: string;
  /** Time of the runs: a cron pattern of six fields, seconds first, in UTC. */
  readonly pattern: string;
  /** Whether the job also runs once at the start of the app. */
  readonly isDueAtStart?: boolean;
  /** Whether the job also runs in processes without background work, because it concerns the process itself. */
  readonly runsEverywhere?: boolean;
  /** Beginning of the log line if the job fails. */
  readonly failure: string;
  /** Works for a few seconds and returns the number of processed items. The scheduler repeats it until it returns 0. */
  readonly round: () => Promise<number>;
}

/**
 * Runs all scheduled jobs. A job never runs twice at the same time in one process. Jobs are in the `SchedulerRegistry`
 * of `@nestjs/schedule` as `governance:<name>`. If the host imports `ScheduleModule`, the host's registry is used, so
 * that the host can list, stop and start the jobs. This module does not import `ScheduleModule`, because a second one
 * would run the host's `@Cron` methods twice.
 */
@Injectable()
export class Scheduler implements OnApplicationBootstrap {
  private readonly logger = new Logger('Governance');
  private readonly jobs: { job: ScheduledJob; run: () => Promise<number> }[] = [];
  private readonly started = new Map<string, CronJob>();
  private readonly running = new Map<ScheduledJob, Promise<number>>();
  /** The last logged failure of each job that has failed since its last success. */
  private readonly failing = new Map<ScheduledJob, { reason: string; toldMs: number }>();
  private registry: SchedulerRegistry | undefined;
  private isStopped = false;

  constructor(
    @Inject(OrgDatabase) database: Pick<OrgDatabase, 'beforeClose'>,
    @Inject(SCHEDULER_OPTIONS) private readonly options: SchedulerOptions,
    @Optional() private readonly modules?: ModuleRef,
  ) {
    database.beforeClose(() => this.stop());
  }

  /**
   * Adds a job. Call it in a constructor. The returned function runs the job at once, in any process, and returns the
   * number of processed items. Concurrent callers share a run and its error.
   */
  add(job: ScheduledJob): () => Promise<number> {
    const run = (): Promise<number> => {
      const running = this.running.get(job) ?? this.work(job).finally(() => this.running.delete(job));
      this.running.set(job, running);
      return running;
    };
    this.jobs.push({ job, run });
    return run;
  }

  /** Starts the jobs of this process. At this point, the host's registry exists. */
  onApplicationBootstrap(): void {
    this.registry = this.hostRegistry() ?? new SchedulerRegistry();
    for (const { job, run } of this.jobs) {
      if (this.options.workers === false && !job.runsEverywhere) continue;
      const tick = () =>
        void run().then(
          () => this.failing.delete(job),
          (error: unknown) => this.report(job, error),
        );
      this.start(job, tick);
    }
  }

  /** Stops all jobs and waits for running rounds. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const [name, cron] of this.started) {
      // If the host has removed the job from its registry, the job is already stopped.
      if (this.registry?.doesExist('cron', name)) this.registry.deleteCronJob(name);
      void cron.stop();
    }
    this.started.clear();
    await Promise.allSettled(this.running.values());
  }

  private start(job: ScheduledJob, tick: () => void): void {
    const name = `governance:${job.name}`;
    const cron = CronJob.from({ name, cronTime: job.pattern, timeZone: 'UTC', onTick: tick, unrefTimeout: true });
    this.registry?.addCronJob(name, cron);
    this.started.set(name, cron);
    cron.start();
    if (job.isDueAtStart) tick();
  }

  private hostRegistry(): SchedulerRegistry | undefined {
    try {
      return this.modules?.get(SchedulerRegistry, { strict: false });
    } catch {
      // This error means that the host does not import ScheduleModule.
      return undefined;
    }
  }

  private async work({ round }: ScheduledJob): Promise<number> {
    let sum = 0;
    for (let done = 1; done > 0 && !this.isStopped; sum += done) done = await round();
    return sum;
  }

  /**
   * Logs a continuing failure once. Otherwise an outage of the database would fill the log, because every job fails
   * repeatedly.
   */
  private report(job: ScheduledJob, error: unknown): void {
    const { failure, name } = job;
    const reason = isOutage(error) ? 'outage' : messageOf(error);
    const told = this.failing.get(job);
    const nowMs = performance.now();
    if (told?.reason === reason && nowMs - told.toldMs < AGAIN_AFTER_MS) return;
    this.failing.set(job, { reason, toldMs: nowMs });
    const next = this.started.get(`governance:${name}`)?.nextDate().toJSDate().toISOString();
    this.logger.warn(`${failure}; the next try is at ${next ?? 'the next start'}: ${messageOf(error)}`);
  }
}

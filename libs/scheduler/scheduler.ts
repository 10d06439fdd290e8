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

/** A continuing failure is logged again after this time. */
const AGAIN_AFTER_MS = 3_600_000;

/** A job that every replica repeats. It must be safe to run on two replicas at once. */
export interface ScheduledJob {
  /** Name in the registry, after the prefix `governance:`. */
  readonly name: string;
  /** When it runs: a cron pattern of six fields, seconds first, in UTC. */
  readonly pattern: string;
  /** Whether it also runs once at the start. */
  readonly isDueAtStart?: boolean;
  /** Whether it also runs in processes without background work, because it is work of the process itself. */
  readonly runsEverywhere?: boolean;
  /** Start of the log line if it fails. */
  readonly failure: string;
  /** Does a few seconds of work and returns the amount. The scheduler repeats it until it returns 0. */
  readonly round: () => Promise<number>;
}

/**
 * Runs all scheduled jobs, each once at a time. Jobs are in the `SchedulerRegistry` of `@nestjs/schedule` as
 * `governance:<name>`. If the host imports `ScheduleModule`, this is the host's registry, so the host can list, stop
 * and start them. This module does not import `ScheduleModule`, because a second one would run the host's `@Cron`
 * methods twice.
 */
@Injectable()
export class Scheduler implements OnApplicationBootstrap {
  private readonly logger = new Logger('Governance');
  private readonly jobs: { job: ScheduledJob; run: () => Promise<number> }[] = [];
  private readonly started = new Map<string, CronJob>();
  private readonly running = new Map<ScheduledJob, Promise<number>>();
  /** The last logged failure of each job that has not succeeded since. */
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
   * Adds a job. Call it in a constructor. The returned function runs the job at once, on any process, and returns the
   * amount of work. Concurrent callers share a run and its error.
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

  /** Starts the jobs of this process. The host's registry exists at this point. */
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
      // If the host removed the job from its registry, it is already stopped.
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
      // The host does not import ScheduleModule.
      return undefined;
    }
  }

  private async work({ round }: ScheduledJob): Promise<number> {
    let sum = 0;
    for (let done = 1; done > 0 && !this.isStopped; sum += done) done = await round();
    return sum;
  }

  /** Logs a continuing failure once, because every job fails repeatedly during an outage of the database. */
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

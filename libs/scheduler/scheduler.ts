import { Inject, Injectable, Logger, Optional, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { messageOf } from '#core';
import { isOutage, OrgDatabase } from '#database';

/** How jobs are run. */
export interface SchedulerOptions {
  /** Whether this process does background work. Default: true. */
  workers?: boolean;
}

/** Injection token of {@link SchedulerOptions}. */
export const SCHEDULER_OPTIONS = Symbol('governance.scheduler-options');

/** A failure that goes on is logged again after so long. */
const AGAIN_AFTER_MS = 3_600_000;

/** Work that every replica repeats. Two replicas that run it at once must do no harm. */
export interface ScheduledJob {
  /** Name in the registry, behind the prefix `governance:`. */
  readonly name: string;
  /** When it runs: a cron pattern of six fields, seconds first, in UTC. */
  readonly pattern: string;
  /** Runs once at the start, too. */
  readonly isDueAtStart?: boolean;
  /** Runs also where this process does no other background work, because the work is this process's own. */
  readonly runsEverywhere?: boolean;
  /** The beginning of the log line when it fails. */
  readonly failure: string;
  /** Does a few seconds of the work and returns how much that was. The scheduler repeats it until it returns 0. */
  readonly round: () => Promise<number>;
}

/**
 * Runs all recurring work, each job once at a time. Jobs are in the `SchedulerRegistry` of `@nestjs/schedule` as
 * `governance:<name>`: the host's own registry if it imports `ScheduleModule`, so that it can list, stop and start them.
 * We do not import `ScheduleModule` ourselves: a second one would run the host's `@Cron` methods twice.
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
   * Adds a job; call it in a constructor. The returned function runs the job at once, on any process, and returns how
   * much was done. Callers share a run that is under way, and its error.
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

  /** Starts the jobs of this process. The host's registry exists by now. */
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

  /** Stops all jobs and waits for the rounds that are under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const [name, cron] of this.started) {
      // A host that has removed the job from its registry has stopped it already.
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

  /** Logs a failure once while it goes on: in an outage of the database every job fails again and again. */
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

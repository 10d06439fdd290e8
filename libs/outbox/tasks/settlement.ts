import { Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { messageOf, within } from '#core';
import { isOutage, type OrgDatabase } from '#database';
import type { JobHandler } from './job-handler.js';
import { StuckWrite } from './stuck-write.js';
import type { TaskEnd, TaskFault, TaskStore } from './task-store.js';
import type { Outcome, Task } from './task.js';

interface Ended extends TaskEnd {
  readonly done: () => void;
  /** Missing where the task was found to be obsolete. */
  readonly outcome?: Outcome<unknown>;
}

interface Faulted extends TaskFault {
  readonly done: () => void;
}

const BATCH = 200;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 1_000;
/** How long claims wait for a write that is tried again. */
const RETRY_PATIENCE_MS = 1_000;

/**
 * Writes outcomes, those of one organization in one transaction after the other, so that a busy time makes large
 * batches by itself. While the database is away outcomes wait here, and are written before anything more is claimed; a task
 * that another process has taken over meanwhile makes the outcome void.
 */
export class Settlement {
  private readonly logger = new Logger('Governance');
  private readonly waiting = new Map<string, { ended: Ended[]; faulted: Faulted[] }>();
  private readonly writing = new Set<string>();
  private readonly stuck = new Set<StuckWrite>();
  private closed = false;

  constructor(
    private readonly job: JobHandler,
    private readonly database: OrgDatabase,
    private readonly store: TaskStore,
  ) {}

  /**
   * Tries now to write what waits for the database, a second at most. To be called before tasks are claimed: a lease that
   * ran out while the database was away holds until somebody claims the task, this process included. A write that is
   * late while the database answers others, such as one that waits for a lock, is not waited for again.
   */
  async retryNow(): Promise<void> {
    const waitedFor = [...this.stuck].filter(write => !write.isAlone);
    await Promise.all(
      waitedFor.map(write => within(RETRY_PATIENCE_MS, write.retry()).catch(() => (write.isAlone = true))),
    );
  }

  /** The database answers nobody: all that waits is to be written first when it is back. */
  noteOutage(): void {
    for (const write of this.stuck) write.isAlone = false;
  }

  /** Resolves when the outcome is written, or is void. */
  end(task: Task, outcome: Outcome<unknown>, endedAt: number): Promise<void> {
    const { againAfterMs, subject } = outcome;
    return this.wait(task.orgId, (queue, done) =>
      queue.ended.push({ task, outcome, againAfterMs, subject, endedAt, done }),
    );
  }

  /** Ends a task that nobody needs any more. */
  obsolete(task: Task): Promise<void> {
    const end = { task, againAfterMs: null, endedAt: performance.now() };
    return this.wait(task.orgId, (queue, done) => queue.ended.push({ ...end, done }));
  }

  /** Notes that the queue failed on a task. */
  fault(task: Task, message: string): Promise<void> {
    return this.wait(task.orgId, (queue, done) => queue.faulted.push({ task, message, done }));
  }

  /** Gives up what waits; its leases run out. */
  close(): void {
    this.closed = true;
  }

  private wait(
    orgId: string,
    enter: (queue: { ended: Ended[]; faulted: Faulted[] }, done: () => void) => unknown,
  ): Promise<void> {
    return new Promise(done => {
      const queue = this.waiting.get(orgId) ?? { ended: [], faulted: [] };
      this.waiting.set(orgId, queue);
      enter(queue, done);
      // What ends in the same turn shares the transaction.
      if (!this.writing.has(orgId)) setImmediate(() => void this.drain(orgId));
    });
  }

  private async drain(orgId: string): Promise<void> {
    if (this.writing.has(orgId)) return;
    this.writing.add(orgId);
    for (;;) {
      const queue = this.waiting.get(orgId);
      if (!queue || queue.ended.length + queue.faulted.length === 0) break;
      // Apart, so that each transaction locks its tasks once, and in one order.
      await this.write(orgId, queue.ended.splice(0, BATCH), []);
      await this.write(orgId, [], queue.faulted.splice(0, BATCH));
    }
    this.waiting.delete(orgId);
    this.writing.delete(orgId);
  }

  private async write(orgId: string, ended: Ended[], faulted: Faulted[]): Promise<void> {
    if (ended.length + faulted.length === 0) return;
    const defect = await this.untilWritten(() =>
      this.database.transaction(orgId, em => this.writeIn(em, orgId, ended, faulted)),
    );
    if (defect !== undefined) return this.writeApart(orgId, ended, faulted, defect);
    for (const entry of [...ended, ...faulted]) entry.done();
  }

  /** Tries as long as the database is away; returns what was wrong where it is not. */
  private async untilWritten(write: () => Promise<void>): Promise<unknown> {
    const stuck = new StuckWrite();
    try {
      for (let pause = RETRY_FIRST_MS; !this.closed; pause = Math.min(pause * 2, RETRY_MAX_MS)) {
        try {
          await write();
          return undefined;
        } catch (error) {
          if (!isOutage(error)) return error;
          if (this.stuck.size === 0) this.logger.warn(`Outcomes of ${this.job.name} must wait: ${messageOf(error)}`);
          this.stuck.add(stuck);
          stuck.wasTried();
          await stuck.pause(pause);
        }
      }
      return undefined;
    } finally {
      this.stuck.delete(stuck);
      stuck.wasTried();
    }
  }

  private async writeIn(em: EntityManager, orgId: string, ended: Ended[], faulted: Faulted[]): Promise<void> {
    if (ended.length > 0) {
      const held = await this.store.end(em, orgId, ended);
      const settled = ended.flatMap(({ task, outcome }) =>
        outcome && held.has(task.id) ? [{ task, result: outcome.result }] : [],
      );
      if (settled.length > 0) await this.job.settle(em, orgId, settled);
    }
    if (faulted.length > 0) {
      const aside = await this.store.fault(em, orgId, faulted);
      const tasks = faulted.map(fault => fault.task).filter(task => aside.has(task.id));
      if (tasks.length > 0) await this.job.onDeadLetter(em, orgId, tasks);
    }
  }

  /** An outcome that cannot be written takes no neighbour along: its task has a fault. */
  private async writeApart(orgId: string, ended: Ended[], faulted: Faulted[], error: unknown): Promise<void> {
    if (ended.length + faulted.length > 1) {
      for (const entry of ended) await this.write(orgId, [entry], []);
      for (const entry of faulted) await this.write(orgId, [], [entry]);
      return;
    }
    this.logger.error(`An outcome of ${this.job.name} cannot be written: ${messageOf(error)}`);
    for (const { task, done } of ended) await this.write(orgId, [], [{ task, message: messageOf(error), done }]);
    for (const fault of faulted) await this.writeUntold(orgId, fault);
  }

  /** A queue that fails on being told that a task is dead-lettered must not keep it from being dead-lettered. */
  private async writeUntold(orgId: string, fault: Faulted): Promise<void> {
    await this.database
      .transaction(orgId, em => this.store.fault(em, orgId, [fault]))
      // Its lease runs out, and it comes again.
      .catch((error: unknown) => this.logger.error(`A fault cannot be written: ${messageOf(error)}`));
    fault.done();
  }
}

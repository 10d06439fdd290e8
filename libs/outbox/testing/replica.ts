import { randomUUID } from 'node:crypto';
import { newId } from '#core';
import { Notifications, openOrm, OrgDatabase, type DatabaseOptions } from '#database';
import type { JobHandler } from '../tasks/job-handler.js';
import { OutboxWorker } from '../tasks/outbox-worker.js';
import { TaskQueue } from '../tasks/task-queue.js';
import type { NewTask, Task } from '../tasks/task.js';
import { Wakeup } from '../tasks/wakeup.js';

/** The outbox of one process, set up as in the module. */
export interface Replica {
  database: OrgDatabase;
  queue: TaskQueue;
  worker: OutboxWorker;
  /** Adds tasks in a separate transaction; returns their ids. */
  add(orgId: string, queue: string, ...keys: string[]): Promise<string[]>;
  stop(): Promise<void>;
}

export interface ReplicaOptions {
  pollIntervalMs?: number;
  database?: Partial<DatabaseOptions>;
}

/** Starts a replica with the given queues. Without queues, the replica can only add tasks. */
export async function startReplica(url: string, jobs: JobHandler[], options: ReplicaOptions = {}): Promise<Replica> {
  const databaseOptions = { poolSize: 4, ...options.database, url };
  const orm = await openOrm(databaseOptions, []);
  const database = new OrgDatabase(orm);
  const notifications = new Notifications(databaseOptions);
  const wakeup = new Wakeup(database, notifications);
  const queue = new TaskQueue(database, wakeup);
  const { pollIntervalMs } = options;
  const worker = new OutboxWorker(database, wakeup, pollIntervalMs === undefined ? {} : { pollIntervalMs });
  for (const job of jobs) worker.addJob(job);
  await notifications.start();
  worker.start();
  return {
    database,
    queue,
    worker,
    async add(orgId, name, ...keys) {
      const tasks = keys.map(key => newTask(name, key));
      await database.transaction(orgId, em => queue.add(em, orgId, tasks));
      return tasks.map(task => task.id);
    },
    async stop() {
      await worker.stop();
      await notifications.stop();
      await database.close();
    },
  };
}

/** The replicas and gates of a test. */
export class Replicas {
  readonly running: Replica[] = [];
  private readonly gates: Gate[] = [];

  /** @param url returns the URL of the database; called at each start of a replica */
  constructor(private readonly url: () => string) {}

  /** Starts a replica with queues; without queues it only adds tasks. */
  async start(jobs: JobHandler[] = [], options: ReplicaOptions = {}): Promise<Replica> {
    const replica = await startReplica(options.database?.url ?? this.url(), jobs, options);
    this.running.push(replica);
    return replica;
  }

  /** A gate that is opened at the end of the test at the latest, so that waiting attempts can end. */
  gate(): Gate {
    const made = gate();
    this.gates.push(made);
    return made;
  }

  /** Call it after each test. */
  async end(): Promise<void> {
    for (const gate of this.gates.splice(0)) gate.open();
    for (const replica of this.running.splice(0)) await replica.stop();
  }
}

/** A task with an empty payload. */
export function newTask(queue: string, key = 'k'): NewTask {
  return { id: newId(new Date()), queue, key, payload: {} };
}

/** A task with a lease. */
export function leasedTask({ orgId = newId(), key = 'k' } = {}): Task {
  const claim = { attempt: 1, interruptions: 0, interruptedAt: null, payload: {}, dueAt: '2026-11-20 12:00:00+00' };
  return { ...claim, orgId, id: newId(), key, leaseToken: newId() };
}

/** A unique name of a queue. */
export function queueName(): string {
  return `queue-${randomUUID()}`;
}

/** Blocks attempts until it is opened. */
export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

function gate(): Gate {
  let open = (): void => undefined;
  const passed = new Promise<void>(resolve => (open = resolve));
  return { passed, open: () => open() };
}

/** Waits until a condition is true, for at most a minute. Returns the elapsed milliseconds. */
export async function until(check: () => unknown, withinMs = 60_000): Promise<number> {
  const begun = performance.now();
  while (!(await check())) {
    if (performance.now() - begun > withinMs)
      throw new Error(`The condition did not hold within ${withinMs} ms: ${check.toString()}`);
    await new Promise(done => setTimeout(done, 5));
  }
  return performance.now() - begun;
}

/** Waits for some time in which an unwanted event could happen. */
export function pass(milliseconds: number): Promise<void> {
  return new Promise(done => setTimeout(done, milliseconds));
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { JobHandler } from '../tasks/job-handler.js';
import type { Outcome, Settled, Task, TaskName } from '../tasks/task.js';

/** Behavior of a {@link ScriptedJob}. By default, every attempt succeeds. */
export interface JobScript {
  slots?: number;
  slotsPerKey?: number;
  leaseMs?: number;
  renews?: boolean;
  load?: (tasks: readonly Task[]) => unknown;
  perform?: (task: Task) => unknown;
  /** The outcome of an attempt. By default, the task ends. */
  outcome?: (task: Task) => Partial<Outcome<string>>;
  settle?: (settled: readonly Settled<string>[]) => unknown;
  onDeadLetter?: (tasks: readonly Task[]) => unknown;
}

/** A job handler that records its calls. */
export class ScriptedJob extends JobHandler<string, string> {
  override readonly slots: number;
  override readonly slotsPerKey: number;
  override readonly leaseMs: number;
  override readonly renews: boolean;
  /** Started attempts, in order. */
  readonly begun: Task[] = [];
  /** Ids of settled tasks, in order. */
  readonly settled: string[] = [];
  /** Ids of dead-lettered tasks. */
  readonly aside: string[] = [];
  /** Ids of dead-lettered tasks that were requeued. */
  readonly takenBack: string[] = [];
  /** Number of attempts that are running now, and the highest number so far. */
  atWork = 0;
  mostAtWork = 0;

  constructor(
    readonly name: string,
    private readonly script: JobScript = {},
  ) {
    super();
    this.slots = script.slots ?? 16;
    this.slotsPerKey = script.slotsPerKey ?? 4;
    this.leaseMs = script.leaseMs ?? 20_000;
    this.renews = script.renews ?? false;
  }

  async load(_em: EntityManager, _orgId: string, tasks: readonly Task[]): Promise<Map<string, string>> {
    const gone = await this.script.load?.(tasks);
    const obsolete: unknown[] = Array.isArray(gone) ? gone : [];
    return new Map(tasks.filter(task => !obsolete.includes(task.id)).map(task => [task.id, task.id]));
  }

  async perform(task: Task): Promise<Outcome<string>> {
    this.begun.push(task);
    this.mostAtWork = Math.max(this.mostAtWork, ++this.atWork);
    try {
      await this.script.perform?.(task);
      return { againAfterMs: null, answered: true, result: task.id, ...this.script.outcome?.(task) };
    } finally {
      this.atWork--;
    }
  }

  async settle(_em: EntityManager, _orgId: string, settled: readonly Settled<string>[]): Promise<void> {
    await this.script.settle?.(settled);
    this.settled.push(...settled.map(({ task }) => task.id));
  }

  override async onDeadLetter(_em: EntityManager, _orgId: string, tasks: readonly Task[]): Promise<void> {
    this.aside.push(...tasks.map(task => task.id));
    await this.script.onDeadLetter?.(tasks);
  }

  override async onRequeue(_em: EntityManager, _orgId: string, tasks: readonly TaskName[]): Promise<void> {
    this.takenBack.push(...tasks.map(task => task.id));
  }
}

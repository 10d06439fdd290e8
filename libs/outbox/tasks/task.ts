import type { JsonObject } from '#core';

/** Background work to be done after the transaction that asks for it has committed. */
export interface NewTask {
  /** Unique in the organization; a delivery's task has the delivery's id. */
  id: string;
  /** Which queue carries it out. */
  queue: string;
  /** Tasks of one key share the key's slots and are held together: an endpoint, a connector, a listener. */
  key: string;
  /** Number of the attempt that comes first. Default: 1. */
  attempt?: number;
  /** What the queue must know to begin; ids, no content. */
  subject: JsonObject;
}

/** Which task. */
export interface TaskName {
  readonly id: string;
  readonly key: string;
}

/** A task that this process holds under a lease. */
export interface Task extends TaskName {
  readonly orgId: string;
  /** Number of this attempt; one that was cut by a crash keeps its number. */
  readonly attempt: number;
  /** How often this attempt was begun before and cut: its lease ended without an outcome. */
  readonly interruptions: number;
  /** When the attempt that was cut last was begun; null where none was. */
  readonly interruptedAt: Date | null;
  readonly subject: JsonObject;
  /** Proves the lease, together with those claimed at once; another worker that takes the task over makes it void. */
  readonly leaseToken: string;
  /** When it was due, in PostgreSQL's words: what is given back keeps its place. */
  readonly dueAt: string;
}

/** How an attempt ended. An error that is thrown instead counts against the queue or the task. */
export interface Outcome<Result> {
  /** Null: the task is over. Otherwise the milliseconds from the end of this attempt to the next one. */
  againAfterMs: number | null;
  /** Replaces the task's subject, where the task goes on. */
  subject?: JsonObject;
  /** Whether the other side answered in time. If not, the key has one slot until the other side answers again. */
  answered: boolean;
  /** For {@link JobHandler.settle}. */
  result: Result;
}

/** An attempt that ended while its lease held. */
export interface Settled<Result> {
  readonly task: Task;
  readonly result: Result;
}

import type { JsonObject } from '#core';

/** A background task to run after the transaction has committed. */
export interface NewTask {
  /** Unique in the organization. The task of a delivery has the delivery's id. */
  id: string;
  /** The JobHandler's `name`. */
  queue: string;
  /** Tasks of one key share slots and are held together, such as the tasks of a webhook, a connector or a listener. */
  key: string;
  /** Number of the first attempt. Default: 1. */
  attempt?: number;
  /** Input of the job handler: ids, no content. */
  payload: JsonObject;
}

/** Identifies a task. */
export interface TaskName {
  readonly id: string;
  readonly key: string;
}

/** A task that this process holds under a lease. */
export interface Task extends TaskName {
  readonly orgId: string;
  /** Number of the attempt. After a crash, the attempt is repeated with this number. */
  readonly attempt: number;
  /** How often this attempt was started before and interrupted, so that its lease expired. */
  readonly interruptions: number;
  /** Start of the last interrupted attempt; null if none was interrupted. */
  readonly interruptedAt: Date | null;
  readonly payload: JsonObject;
  /** Token of the lease, shared by the tasks of one claim. It becomes invalid when another worker claims the task. */
  readonly leaseToken: string;
  /** Due time as PostgreSQL's text, so that a returned task keeps its exact position. */
  readonly dueAt: string;
}

/** The outcome of an attempt. An error that is thrown instead counts as a fault. */
export interface Outcome<Result> {
  /** Null: the task has ended. Otherwise the delay in milliseconds from the end of this attempt to the next one. */
  againAfterMs: number | null;
  /** Replaces the payload of the task for the next attempt. */
  payload?: JsonObject;
  /** Whether the other side answered in time. If not, the key has one slot until the other side answers again. */
  answered: boolean;
  /** Passed to {@link JobHandler.settle}. */
  result: Result;
}

/** An attempt that ended while its lease held. */
export interface Settled<Result> {
  readonly task: Task;
  readonly result: Result;
}

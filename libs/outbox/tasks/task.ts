import type { JsonObject } from '#core';

/** A background task to run after the transaction has committed. */
export interface NewTask {
  /** Id of the task, unique in the organization. The task of a delivery has the delivery's id. */
  id: string;
  /** The `name` of the {@link JobHandler}. */
  queue: string;
  /**
   * Tasks with the same key share slots and are paused together. Examples of keys: a webhook, a connector, a listener.
   */
  key: string;
  /** Number that the first attempt gets. Default: 1. */
  attempt?: number;
  /** Input of the job handler. It contains ids instead of content. */
  payload: JsonObject;
}

/** The id and key of a task. */
export interface TaskName {
  readonly id: string;
  readonly key: string;
}

/** A task for which this process has a lease. */
export interface Task extends TaskName {
  readonly orgId: string;
  /** Number of the attempt. If an attempt is repeated after a crash, it keeps its number. */
  readonly attempt: number;
  /** How many times this attempt was started and then interrupted, so that its lease expired. */
  readonly interruptions: number;
  /** Start of the last interrupted attempt; null if no attempt was interrupted. */
  readonly interruptedAt: Date | null;
  readonly payload: JsonObject;
  /** Token of the lease. All tasks of one claim share it. It becomes invalid when another worker claims the task. */
  readonly leaseToken: string;
  /** Due time in PostgreSQL's text format, so that a returned task keeps its exact position in the queue. */
  readonly dueAt: string;
}

/** The outcome of an attempt. If the attempt throws an error instead, this counts as a fault. */
export interface Outcome<Result> {
  /** Delay in milliseconds from the end of this attempt to the next one; null if the task has ended. */
  againAfterMs: number | null;
  /** Replaces the payload of the task for the next attempt. */
  payload?: JsonObject;
  /**
   * Whether the other side responded in time. If not, the key gets only one slot until the other side responds again.
   */
  answered: boolean;
  /** Result that is passed to {@link JobHandler.settle}. */
  result: Result;
}

/** An attempt that ended while its lease was valid. */
export interface Settled<Result> {
  readonly task: Task;
  readonly result: Result;
}

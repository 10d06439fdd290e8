import type { JsonObject } from '#core';

/** States of the creation of a ticket. */
export const SYNC_STATES = ['pending', 'created', 'rejected', 'uncertain'] as const;

/** `uncertain`: the ticket may have been created; the service searches for it. */
export type SyncState = (typeof SYNC_STATES)[number];

/** Progress of the creation of a ticket. The task stores it between attempts. */
export interface Progress {
  /** Whether the next attempt creates the ticket or searches for it. */
  readonly phase: 'create' | 'find';
  /** Number of failed attempts. */
  readonly tries: number;
  /**
   * Number of searches without a result since the last create request. -1 before a search that is not part of the
   * schedule.
   */
  readonly searches: number;
  /** Number of create requests whose outcome is unknown, and whose ticket no search has found. */
  readonly lookedFor: number;
  /** Time of the first failed attempt; null before it. */
  readonly since: string | null;
  /** Whether a person requested this attempt. If so, it is made even if the connector has a known problem. */
  readonly byHand: boolean;
}

/** Reads the progress from a task's subject. Missing fields get their initial values. */
export function progressOf(subject: JsonObject): Progress {
  const { phase, tries, searches, looked_for: lookedFor, since, by_hand: byHand } = subject;
  return {
    phase: phase === 'find' ? 'find' : 'create',
    tries: typeof tries === 'number' ? tries : 0,
    searches: typeof searches === 'number' ? searches : 0,
    lookedFor: typeof lookedFor === 'number' ? lookedFor : 0,
    since: typeof since === 'string' ? since : null,
    byHand: byHand === true,
  };
}

/**
 * Payload of a task that continues later. `waits` says what the task waits for: the end of the connector's problem, or
 * the end of its test.
 */
export function payloadOf(progress: Progress, waits?: 'connector' | 'test'): JsonObject {
  const { phase, tries, searches, lookedFor, since, byHand } = progress;
  const said = { phase, tries, searches, looked_for: lookedFor, since, by_hand: byHand };
  return { ...said, ...(waits === undefined ? {} : { waits }) };
}

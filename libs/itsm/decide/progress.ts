import type { JsonObject } from '#core';

/** States of the creation of a ticket. */
export const SYNC_STATES = ['pending', 'created', 'rejected', 'uncertain'] as const;

/** `uncertain`: it may have been created; the service searches for it. */
export type SyncState = (typeof SYNC_STATES)[number];

/** Progress of creating a ticket. Stored in the task between attempts. */
export interface Progress {
  /** Whether to create the ticket or to search for it. */
  readonly phase: 'create' | 'find';
  /** Failed attempts. */
  readonly tries: number;
  /** Searches without a result since the last attempt to create it. -1 before a search outside the schedule. */
  readonly searches: number;
  /** Create requests with an unknown outcome that no search has found. */
  readonly lookedFor: number;
  /** Time of the first failed attempt; null before. */
  readonly since: string | null;
  /** A person requested this attempt, so it ignores a known problem of the connector. */
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
 * Subject of a task that continues later. `waits` names what it waits for: the end of the connector's problem, or of
 * its test.
 */
export function subjectOf(progress: Progress, waits?: 'connector' | 'test'): JsonObject {
  const { phase, tries, searches, lookedFor, since, byHand } = progress;
  const said = { phase, tries, searches, looked_for: lookedFor, since, by_hand: byHand };
  return { ...said, ...(waits === undefined ? {} : { waits }) };
}

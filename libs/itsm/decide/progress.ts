import type { JsonObject } from '#core';

/** Where the opening of a ticket stands. */
export const SYNC_STATES = ['pending', 'created', 'rejected', 'uncertain'] as const;

/** `uncertain`: it may have been created, and is looked for. */
export type SyncState = (typeof SYNC_STATES)[number];

/** How far the opening of a ticket has come: what its task carries from one attempt to the next. */
export interface Progress {
  /** Whether the platform is to be asked for the ticket, or whether it has it. */
  readonly phase: 'create' | 'find';
  /** Attempts that came to nothing. */
  readonly tries: number;
  /** Searches without a result since the last attempt to create it. -1 before a search outside the schedule. */
  readonly searches: number;
  /** Requests to create it of whose end nothing is known, and which no search has found. */
  readonly lookedFor: number;
  /** When the first attempt ended that came to nothing; null before. */
  readonly since: string | null;
  /** A person asked for this attempt: it is made whatever is known of the connector. */
  readonly byHand: boolean;
}

/** Reads a task's subject; whatever is missing is as at the beginning. */
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

/** The subject of a task that goes on. `waits`: only until the connector is mended, or the test of it is over. */
export function subjectOf(progress: Progress, waits?: 'connector' | 'test'): JsonObject {
  const { phase, tries, searches, lookedFor, since, byHand } = progress;
  const said = { phase, tries, searches, looked_for: lookedFor, since, by_hand: byHand };
  return { ...said, ...(waits === undefined ? {} : { waits }) };
}

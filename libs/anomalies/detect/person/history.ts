import type { DayShape } from './day-shape.js';

/** The active days of a person within the window, oldest first, and the person's first active day. */
export interface History {
  readonly firstDay: number | null;
  readonly days: readonly DayShape[];
}

export const NO_HISTORY: History = { firstDay: null, days: [] };

/**
 * Adds or replaces a day in the history. Drops days that have left the window. Days without activity are not stored.
 */
export function withDay({ firstDay, days }: History, shape: DayShape, windowDays: number): History {
  const newest = Math.max(shape.day, days.at(-1)?.day ?? shape.day);
  const others = days.filter(other => other.day !== shape.day && other.day >= newest - windowDays);
  const kept = shape.total > 0 && shape.day >= newest - windowDays;
  const at = others.findLastIndex(other => other.day < shape.day) + 1;
  return {
    firstDay: Math.min(shape.day, firstDay ?? shape.day),
    days: kept ? others.toSpliced(at, 0, shape) : others,
  };
}

const WEEK = 7;

/** State of a person at the end of the previous day. */
export interface Past {
  readonly days: readonly DayShape[];
  /** Calendar days since the person's first day, at most the window. */
  readonly length: number;
  /** Number of active days among the last seven. */
  readonly lastWeek: number;
}

/**
 * The days of the window before a given day. Later days are omitted, so that a day that arrives late is compared with
 * its own past only.
 */
export function pastOf(history: History, day: number, windowDays: number): Past {
  const known = history.firstDay === null ? 0 : day - history.firstDay;
  const days = history.days.filter(other => other.day < day && other.day >= day - windowDays);
  return {
    days,
    length: Math.max(0, Math.min(known, windowDays)),
    lastWeek: days.filter(other => other.day >= day - WEEK).length,
  };
}

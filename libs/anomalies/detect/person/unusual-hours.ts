import type { DayShape } from './day-shape.js';
import type { Past } from './history.js';
import type { PersonSettings } from './settings.js';

/** Number of active days after which a person's usual hours are considered known. */
const DAYS_TO_KNOW = 14;

/**
 * Number of active hours of this day and the day before that are outside the person's usual hours. Zero until the usual
 * hours are known. A stolen account is often used while its owner sleeps.
 */
export function unusualHours(shape: DayShape, past: Past, settings: PersonSettings): number {
  const before = past.days.filter(other => other.day < shape.day - 1);
  if (before.length < DAYS_TO_KNOW) return 0;
  const yesterday = past.days.findLast(other => other.day === shape.day - 1);
  let found = 0;
  for (let hour = 0; hour < 24; hour++) {
    const bit = 1 << hour;
    const now = active(shape, bit) + (yesterday ? active(yesterday, bit) : 0);
    if (now === 0) continue;
    const known = before.reduce((days, other) => days + active(other, bit), 0);
    if (known <= settings.ownHourShare * before.length) found += now;
  }
  return found;
}

function active({ hours }: DayShape, bit: number): number {
  return (hours & bit) === 0 ? 0 : 1;
}

// People or tenants as days with 24 counts, and the days and spikes on which detectors are compared.
import { seeded } from './random.mjs';

export const WINDOW_DAYS = 90;
export const SHAPES = [1, 3, 8];

export function total(counts) {
  return counts.reduce((sum, count) => sum + count, 0);
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** `entries`: [id, day number, hour, count]. Returns [{ id, days: [{ day, counts }] }] with active days only. */
export function dayPeople(entries) {
  const people = new Map();
  for (const [id, day, hour, count] of entries) {
    if (!people.has(id)) people.set(id, new Map());
    const days = people.get(id);
    if (!days.has(day))
      days.set(
        day,
        Array.from({ length: 24 }, () => 0),
      );
    days.get(day)[hour] += count;
  }
  return [...people].map(([id, days]) => ({
    id,
    days: [...days].map(([day, counts]) => ({ day, counts })).toSorted((a, b) => a.day - b.day),
  }));
}

/** The hours of the window. The hour with most active days comes first. */
function usualHours(past) {
  const active = Array.from({ length: 24 }, (_, hour) => [hour, past.filter(({ counts }) => counts[hour] > 0).length]);
  return active
    .filter(([, days]) => days > 0)
    .toSorted((a, b) => b[1] - a[1])
    .map(([hour]) => hour);
}

/** A whole number of requests, distributed evenly over some hours. */
function spread(size, hours) {
  const counts = Array.from({ length: 24 }, () => 0);
  let left = size;
  for (const [index, hour] of hours.entries()) {
    counts[hour] = Math.round(left / (hours.length - index));
    left -= counts[hour];
  }
  return counts;
}

/**
 * Lists every calendar day of a person, starting `minimum` days after the person's first day. Each entry has the past
 * of the day and its real counts. Every `every`th day also has the spikes that replace the day. A spike is a multiple
 * of the median active day.
 */
export function* judgedDays(person, { minimum, every, seed, windowDays = WINDOW_DAYS }) {
  const random = seeded(seed);
  const byDay = new Map(person.days.map(entry => [entry.day, entry.counts]));
  const first = person.days[0].day;
  for (let day = first + minimum; day <= person.days.at(-1).day; day++) {
    const past = person.days.filter(entry => entry.day < day && entry.day >= day - windowDays);
    if (past.length === 0) continue;
    const spikes = [];
    if ((day - first) % every === 0) {
      const usual = usualHours(past);
      const typical = median(past.map(({ counts }) => total(counts)));
      for (const hours of SHAPES) {
        const place = usual.slice(0, hours);
        const spike = (kind, times) =>
          spikes.push({ kind, hours, times, counts: spread(Math.max(1, Math.round(times * typical)), place) });
        spike('five', 5);
        spike('any', 2 * 5 ** random());
        spike('any', 2 * 5 ** random());
      }
    }
    yield { day, past, calendar: Math.min(windowDays, day - first), counts: byDay.get(day), spikes };
  }
}

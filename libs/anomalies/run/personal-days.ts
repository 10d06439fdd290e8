import type { PersonalUsage } from '#core';
import { ofEach, type OfEach, type WatchedDay } from '../detect/index.js';
import type { LocalDays } from './local-days.js';

const HOURS = 24;

/** Usage by person and local day, with the days of each person in ascending order. */
export function personalDays(
  usage: readonly PersonalUsage[],
  calendar: LocalDays,
  isLeaver: (userId: string, day: number) => boolean,
): Map<string, WatchedDay[]> {
  const people = new Map<string, Map<number, DayDraft>>();
  for (const { userId, model, hour, requests, tokens, costUsd } of usage) {
    const place = calendar.at(hour);
    const days = entry(people, userId, () => new Map<number, DayDraft>());
    const draft = entry(days, place.day, newDraft);
    add(draft.counts.requests, place.hour, requests);
    add(draft.counts.tokens, place.hour, tokens);
    add(draft.counts.cost_usd, place.hour, costUsd);
    add(entry(draft.models, model, noCounts), place.hour, requests);
  }
  return new Map(
    [...people].map(([userId, days]) => [
      userId,
      [...days]
        .toSorted(([a], [b]) => a - b)
        .map(([day, { counts, models }]) => ({ day, counts, models, isLeaver: isLeaver(userId, day) })),
    ]),
  );
}

interface DayDraft {
  readonly counts: OfEach<number[]>;
  readonly models: Map<string, number[]>;
}

function newDraft(): DayDraft {
  return { counts: ofEach(noCounts), models: new Map() };
}

function noCounts(): number[] {
  return Array.from({ length: HOURS }, () => 0);
}

function add(counts: number[], hour: number, value: number): void {
  counts[hour] = (counts[hour] ?? 0) + value;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

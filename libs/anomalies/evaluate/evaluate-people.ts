import {
  type DayShape,
  NEW_PERSON,
  NO_COHORT,
  PERSON_RULES,
  PERSON_SETTINGS,
  type PersonRule,
  type PersonState,
  shapeOf,
  updatePerson,
  withCohortDay,
} from '../detect/index.js';
import type { Cells } from './cells.js';

/** One alarm: the first day of an episode. */
export interface PersonVerdict {
  readonly person: string;
  readonly date: string;
  readonly rule: PersonRule;
  readonly observed: number;
  readonly expected_low: number;
  readonly expected_high: number;
  /** Description of the rule. */
  readonly words: string;
}

/** The counts of a person's hours on one date. */
type DaysOfPeople = Map<number, Map<string, number[]>>;

/**
 * Compares each day of each person with earlier days only: the person's own days, and the cohort's days for a new
 * person. The lines may be in any order. The alarms are ordered by date.
 */
export async function* evaluatePeople(rows: AsyncIterable<Cells>): AsyncGenerator<PersonVerdict> {
  const dates = await collect(rows);
  const states = new Map<string, PersonState>();
  let cohort = NO_COHORT;
  for (const day of [...dates.keys()].toSorted((a, b) => a - b)) {
    const shapes: DayShape[] = [];
    for (const [person, counts] of dates.get(day) ?? []) {
      const { state, alarm } = updatePerson(states.get(person) ?? NEW_PERSON, { day, counts }, cohort, PERSON_SETTINGS);
      states.set(person, state);
      shapes.push(shapeOf(day, counts));
      if (!alarm) continue;
      yield {
        person,
        date: new Date(day * 86_400_000).toISOString().slice(0, 10),
        rule: alarm.rule,
        observed: rounded(alarm.observed),
        expected_low: rounded(alarm.expectedLow),
        expected_high: rounded(alarm.expectedHigh),
        words: PERSON_RULES[alarm.rule],
      };
    }
    for (const shape of shapes) if (shape.total > 0) cohort = withCohortDay(cohort, shape);
  }
}

async function collect(rows: AsyncIterable<Cells>): Promise<DaysOfPeople> {
  const dates: DaysOfPeople = new Map();
  for await (const row of rows) {
    const [person, day, hour, count] = [row.text('person'), row.day('date'), row.hour('hour'), row.count('count')];
    const people = dates.get(day) ?? new Map<string, number[]>();
    const counts = people.get(person) ?? Array.from({ length: 24 }, () => 0);
    counts[hour] = (counts[hour] ?? 0) + count;
    dates.set(day, people.set(person, counts));
  }
  return dates;
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}

import { describe, expect, it } from '@jest/globals';
import { NEW_PERSON, type PersonDay, type PersonState, type PersonUpdate, updatePerson } from './detector.js';
import { type Cohort, NO_COHORT, withCohortDay } from './expectation.js';
import { shapeOf } from './day-shape.js';
import { PERSON_SETTINGS } from './settings.js';

/** A day with these counts, beginning at the given hour. */
function dayOf(day: number, hours: readonly number[], from = 9): PersonDay {
  const counts = Array.from({ length: 24 }, () => 0);
  for (const [index, count] of hours.entries()) counts[(from + index) % 24] = count;
  return { day, counts };
}

const HOURS = [
  [2, 1, 0, 3, 1],
  [1, 4, 1],
  [3, 2, 2, 1, 0, 1],
  [1, 1, 2],
  [5, 1, 0, 0, 2, 1],
];

/** Workdays on which a user makes about seven requests. */
function workdays(days: number): PersonDay[] {
  return Array.from({ length: days }, (_, day) => dayOf(day, HOURS[day % HOURS.length] ?? [], 8 + (day % 3))).filter(
    ({ day }) => day % 7 < 5,
  );
}

function run(days: readonly PersonDay[], cohort: Cohort = NO_COHORT, from: PersonState = NEW_PERSON): PersonUpdate[] {
  let state = from;
  return days.map(day => {
    const update = updatePerson(state, day, cohort, PERSON_SETTINGS);
    state = update.state;
    return update;
  });
}

const stateAfter = (days: readonly PersonDay[]): PersonState => run(days).at(-1)?.state ?? NEW_PERSON;
const judge = (state: PersonState, day: PersonDay, cohort: Cohort = NO_COHORT): PersonUpdate =>
  updatePerson(state, day, cohort, PERSON_SETTINGS);

describe('the detector of people', () => {
  it('raises no alarm if days vary as usual', () => {
    expect(run(workdays(180)).filter(update => update.alarm)).toEqual([]);
  });

  it.each([
    ['busiest', 'one hour', [35]],
    ['third', 'three hours', [12, 12, 12]],
    ['eighth', 'eight hours', [5, 5, 5, 5, 5, 5, 5, 5]],
  ])('names the rule "%s" if five times the usual falls into %s', (rule, _, hours) => {
    const { alarm } = judge(stateAfter(workdays(60)), dayOf(60, hours));
    expect(alarm?.rule).toBe(rule);
    expect(alarm?.observed).toBeGreaterThan(alarm?.expectedHigh ?? Number.POSITIVE_INFINITY);
  });

  it('raises an alarm if three busy hours are added to a normal day', () => {
    const day = dayOf(60, [2, 12, 13, 15, 1, 1]);
    expect(judge(stateAfter(workdays(60)), day).alarm?.rule).toBe('third');
  });

  it('raises an alarm on the second night if an account is used at hours at which its owner never worked', () => {
    const night = (day: number): PersonDay => {
      const { counts } = dayOf(day, HOURS[day % HOURS.length] ?? []);
      return { day, counts: counts.map((count, hour) => (hour >= 1 && hour <= 4 ? 1 : count)) };
    };
    const updates = run([night(60), night(61), night(62)], NO_COHORT, stateAfter(workdays(60)));
    expect(updates.map(update => update.alarm?.rule)).toEqual([undefined, 'hours', undefined]);
    expect(updates[1]?.alarm).toMatchObject({ observed: 8, expectedLow: 0, expectedHigh: 5 });
  });

  it('does not judge hours if fewer than 14 active days are known', () => {
    const nights = [17, 18, 19].map(day => dayOf(day, [1, 1, 1, 1], 1));
    expect(run(nights, NO_COHORT, stateAfter(workdays(17))).filter(update => update.alarm)).toEqual([]);
  });

  it('raises no alarm below 3.7 times the median active day, however regular the days were', () => {
    const state = stateAfter(Array.from({ length: 60 }, (_, day) => dayOf(day, [10])));
    expect(judge(state, dayOf(60, [36])).alarm).toBeUndefined();
    expect(judge(state, dayOf(60, [50])).alarm?.rule).toBe('busiest');
  });

  it('raises one alarm if a spike lasts three days', () => {
    const state = stateAfter(workdays(60));
    const updates = run(
      [60, 61, 62].map(day => dayOf(day, [12, 12, 12])),
      NO_COHORT,
      state,
    );
    expect(updates.map(update => update.alarm !== undefined)).toEqual([true, false, false]);
  });

  it('raises another alarm if an episode grows far beyond its first alarm', () => {
    const state = stateAfter(workdays(60));
    const updates = run([dayOf(60, [30]), dayOf(61, [300])], NO_COHORT, state);
    expect(updates.map(update => update.alarm !== undefined)).toEqual([true, true]);
  });

  it('raises one alarm if the day is processed again each hour and once more as a correction', () => {
    const state = stateAfter(workdays(60));
    const given = [[12], [12, 12], [12, 12, 12], [12, 12, 12, 1], [12, 12, 11]];
    const updates = run(
      given.map(hours => dayOf(60, hours)),
      NO_COHORT,
      state,
    );
    expect(updates.filter(update => update.alarm)).toHaveLength(1);
    expect(updates.at(-1)?.state.history.days.filter(({ day }) => day === 60)).toEqual([
      shapeOf(60, dayOf(60, [12, 12, 11]).counts),
    ]);
  });

  it('raises the alarm of a day that arrives after the next day', () => {
    const state = stateAfter([...workdays(60), dayOf(61, [1, 2, 1])]);
    const late = judge(state, dayOf(60, [12, 12, 12]));
    expect(late.alarm?.rule).toBe('third');
    expect(late.state.history.days.map(({ day }) => day)).toEqual(
      late.state.history.days.map(({ day }) => day).toSorted((a, b) => a - b),
    );
  });

  it('drops days that left the window, so that the state stays bounded', () => {
    const state = stateAfter(workdays(1_000));
    expect(state.history.days.length).toBeLessThanOrEqual(PERSON_SETTINGS.windowDays + 1);
  });

  it('gives the same verdict after the state was stored as JSON', () => {
    const state = stateAfter(workdays(60));
    const stored = JSON.parse(JSON.stringify(state)) as PersonState;
    const day = dayOf(60, [12, 12, 12]);
    expect(judge(stored, day)).toEqual(judge(state, day));
  });

  it('judges no user without history and without a cohort', () => {
    expect(judge(NEW_PERSON, dayOf(0, [1_000])).alarm).toBeUndefined();
  });

  it('judges a new user by the cohort, and also by their own days after two weeks', () => {
    const cohort = workdays(60).reduce(
      (known, { day, counts }) => withCohortDay(known, shapeOf(day, counts)),
      NO_COHORT,
    );
    expect(judge(NEW_PERSON, dayOf(0, [2, 3, 1]), cohort).alarm).toBeUndefined();
    expect(judge(NEW_PERSON, dayOf(0, [200]), cohort).alarm).toBeDefined();
    const heavy = run(Array.from({ length: 40 }, (_, day) => dayOf(day, [50 + (day % 7), 60, 40 + (day % 3)])));
    expect(judge(heavy.at(-1)?.state ?? NEW_PERSON, dayOf(40, [60, 55, 45]), cohort).alarm).toBeUndefined();
  });
});

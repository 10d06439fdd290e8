// The product's detector of people, as a function that judges days.
import {
  NEW_PERSON,
  NO_COHORT,
  PERSON_SETTINGS,
  shapeOf,
  updatePerson,
  withCohortDay,
} from '../../../../dist/libs/anomalies/detect/index.js';

/**
 * Verdicts on the real days and on each spike, as { alarms, caught }. Each spike is judged by the state of the evening
 * before; the state itself never sees a spike. `scale` multiplies all limits and the smallest ratio to the median day.
 */
export function ourJudge(people, days, { scale = 1, settings = PERSON_SETTINGS } = {}) {
  const limits = Object.fromEntries(Object.entries(settings.limits).map(([size, limit]) => [size, limit * scale]));
  const minimumRatio = Math.max(1, settings.minimumRatio * scale);
  const used = { ...settings, limits, minimumRatio };
  const cohortAt = cohorts(people);
  const caught = new Map();
  let alarms = 0;
  for (const [index, person] of people.entries()) {
    const wanted = new Map(days[index].map(entry => [entry.day, entry]));
    const real = new Map(person.days.map(entry => [entry.day, entry.counts]));
    let state = NEW_PERSON;
    for (let day = person.days[0].day; day <= person.days.at(-1).day; day++) {
      const cohort = cohortAt(day);
      const entry = wanted.get(day);
      for (const { counts } of entry?.spikes ?? []) {
        caught.set(counts, updatePerson(state, { day, counts }, cohort, used).alarm !== undefined);
      }
      if (!real.has(day)) continue;
      const update = updatePerson(state, { day, counts: real.get(day) }, cohort, used);
      if (update.alarm && entry) alarms++;
      state = update.state;
    }
  }
  return { alarms, caught: counts => caught.get(counts) };
}

/** The cohort on the evening before each day. */
function cohorts(people) {
  const days = people.flatMap(person => person.days).toSorted((a, b) => a.day - b.day);
  const before = new Map();
  let cohort = NO_COHORT;
  let index = 0;
  for (let day = days[0].day; day <= days.at(-1).day; day++) {
    before.set(day, cohort);
    for (; days[index]?.day === day; index++) cohort = withCohortDay(cohort, shapeOf(day, days[index].counts));
  }
  return day => before.get(day) ?? NO_COHORT;
}

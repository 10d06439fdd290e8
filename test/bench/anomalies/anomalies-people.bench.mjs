// Alarms on real people and the share of caught spikes: compares the product's detector with simple rules in one run.
//   npm run bench -- anomalies-people
// A spike replaces a day. It is a multiple of the person's median active day of the last 90 days, over 1, 3 or 8 of the
// person's usual hours: exactly 5 times ("5 ×"), or any size from 2 to 10 times ("any").
import { line, measure, ourTally, tuned } from './support/compare.mjs';
import { judgedDays } from './support/day-series.mjs';
import { ourJudge } from './support/our-judge.mjs';
import { generatedPeople, realPeople } from './support/people-data.mjs';
import { SCENARIOS, tryScenario } from './support/scenarios.mjs';
import { exceeds, SIMPLE_RULES, withFacts } from './support/simple-rules.mjs';
import { NEW_PERSON, NO_COHORT, PERSON_SETTINGS, updatePerson } from '../../../dist/libs/anomalies/detect/index.js';

const AT_MOST = 5;
const EVERY = Number(process.env.BENCH_EVERY ?? 5);

report('generated people', generatedPeople(40, 300, 3));
const people = realPeople();
if (people === null) console.log('real people: skipped: no ../shared/data');
else report('real people', people);

function report(title, group) {
  const days = group.map((person, index) =>
    withFacts([...judgedDays(person, { minimum: 14, every: EVERY, seed: index + 1 })]),
  );
  const ours = ourTally(days, ourJudge(group, days));
  console.log(
    `\n${title}: ${group.length} people, ${ours.days} days with a past of 14 days or more, ${ours.active} of them active`,
  );
  console.log(`${''.padEnd(46)} alarms     5 × caught               any size caught`);
  console.log(`${''.padEnd(46)} /1,000     (1 / 3 / 8 hours)        (1 / 3 / 8 hours)`);
  console.log(line('this detector', ours));
  console.log(`  ${((1_000 * ours.alarms) / ours.active).toFixed(1)} alarms per 1,000 active days`);
  let best = 0;
  for (const rule of SIMPLE_RULES) {
    const factor = tuned(days, rule, AT_MOST);
    const result = measure(days, (entry, counts) => exceeds(rule, factor, entry, counts));
    best = Math.max(best, result.any.all);
    console.log(line(`${rule.name}, k tuned to ${factor.toFixed(2)}`, result));
    for (const known of rule.published) {
      console.log(
        line(
          `  with k = ${known}`,
          measure(days, (entry, counts) => exceeds(rule, known, entry, counts)),
        ),
      );
    }
  }
  console.log(`  ${cost(group)}`);
  for (const scenario of SCENARIOS) {
    const { starts, caught, delay } = tryScenario(group, scenario, { begin: NEW_PERSON, judge });
    console.log(`  ${scenario.name}: ${caught.toFixed(0)} % of ${starts}, median delay ${delay} days`);
  }
  console.log(`  any size: ${(ours.any.all - best).toFixed(1)} points more than the best tuned simple rule`);
}

function judge(state, day, counts) {
  return updatePerson(state, { day, counts }, NO_COHORT, PERSON_SETTINGS);
}

/**
 * Measures the time of one update, including reading the state from JSON and writing it back, and the size of the
 * largest state.
 */
function cost(group) {
  let [updates, largest] = [0, 0];
  const started = performance.now();
  for (const person of group) {
    let stored = JSON.stringify(NEW_PERSON);
    for (const { day, counts } of person.days) {
      stored = JSON.stringify(judge(JSON.parse(stored), day, counts).state);
      largest = Math.max(largest, stored.length);
      updates++;
    }
  }
  const micros = (1_000 * (performance.now() - started)) / updates;
  return `${micros.toFixed(0)} µs per update with its JSON, largest state ${(largest / 1_000).toFixed(1)} kB`;
}

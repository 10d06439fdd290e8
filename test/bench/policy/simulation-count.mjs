// The expected result of a simulation, counted from the live engine's answer to each request.
import { inputOf, userOf } from './simulation-workload.mjs';

const SHOWN = 100;
/** Every second request costs this, in picodollars. */
const COST = 3_500_000_000n;

/**
 * @param before each request's action before the change, as a number; `after` has the actions after the change, and
 * which requests the changed policy matches
 */
export function expectedReport(before, after, actions) {
  const allowed = code => actions[code] === 'allow' || actions[code] === 'alert';
  const counts = () => ({ matched: 0, changed: 0, newlyRefused: 0, picodollars: 0n });
  const expected = { ...counts(), users: new Map(), departments: new Map(), models: new Map() };
  for (let number = 0; number < before.length; number++) {
    const isChanged = before[number] !== after.actions[number];
    const isMatched = after.matched[number] === 1;
    if (!isChanged && !isMatched) continue;
    const isRefused = allowed(before[number]) && !allowed(after.actions[number]);
    const { user_id, model } = inputOf(number);
    for (const [kind, key] of [
      ['users', user_id],
      ['departments', userOf(number)?.department ?? null],
      ['models', model],
    ]) {
      if (!expected[kind].has(key)) expected[kind].set(key, counts());
      add(expected[kind].get(key));
    }
    add(expected);

    function add(sum) {
      if (isMatched) sum.matched++;
      if (isChanged) sum.changed++;
      if (isRefused) sum.newlyRefused++;
      if (isRefused && number % 2 === 0) sum.picodollars += COST;
    }
  }
  return expected;
}

/** The differences between a report and the expected counts. */
export function differencesOf(report, expected) {
  const wrong = ['matched', 'changed', 'newlyRefused', 'picodollars'].filter(name => report[name] !== expected[name]);
  const keyOf = { users: label => label.userId, departments: label => label, models: label => label };
  for (const kind of Object.keys(keyOf)) if (!isSame(report[kind], expected[kind], keyOf[kind])) wrong.push(kind);
  return wrong;
}

function isSame({ top, others }, expected, keyOf) {
  const text = ({ matched, changed, picodollars }) => `${changed} ${matched} ${picodollars}`;
  const order = (a, b) => b.changed - a.changed || b.matched - a.matched;
  const sorted = [...expected.values()].sort(order);
  const rest = { keys: Math.max(0, expected.size - SHOWN), matched: 0, changed: 0, picodollars: 0n };
  for (const counts of expected.values()) for (const name of NAMES) rest[name] += counts[name];
  for (const shown of top) for (const name of NAMES) rest[name] -= shown[name];
  return (
    top.length === Math.min(SHOWN, expected.size) &&
    // Among equal counts, the report may show any, each with its own counts. No shown entry may have a lower count than
    // one not shown.
    top.every(shown => expected.has(keyOf(shown.label)) && text(shown) === text(expected.get(keyOf(shown.label)))) &&
    top.every((shown, at) => order(shown, sorted[at]) === 0) &&
    (others ? others.keys === rest.keys && text(others) === text(rest) : rest.keys === 0)
  );
}

const NAMES = ['matched', 'changed', 'picodollars'];

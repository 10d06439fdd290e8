import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ofEach } from './figures.js';
import { packWatch, unpackWatch } from './packed-watch.js';
import { NEW_WATCH, NO_COHORTS, watchPerson, type PersonWatch, type WatchedDay } from './person-watch.js';
import { DEFAULT_WATCH_SETTINGS } from './watch-settings.js';

const hours = (counts: Record<number, number>): number[] => Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);

/** A day with eight busy hours. Each has this many requests, all of one model. */
function workday(day: number, requests: number, fields: Partial<WatchedDay> = {}): WatchedDay {
  const counts = hours(Object.fromEntries([9, 10, 11, 12, 13, 14, 15, 16].map(hour => [hour, requests])));
  const scale = { requests: 1, tokens: 100, cost_usd: 0.001 };
  return {
    day,
    counts: ofEach(metric => counts.map(count => count * scale[metric])),
    models: new Map([['gpt-4o', counts]]),
    isLeaver: false,
    ...fields,
  };
}

function watched(days: readonly WatchedDay[], watch: PersonWatch = NEW_WATCH): PersonWatch {
  return days.reduce((state, day) => watchPerson(state, day, NO_COHORTS, DEFAULT_WATCH_SETTINGS).watch, watch);
}

const month = watched(Array.from({ length: 28 }, (_, day) => workday(day, 5)));
const judge = (day: WatchedDay, watch = month) => watchPerson(watch, day, NO_COHORTS, DEFAULT_WATCH_SETTINGS).alarm;

describe('the anomaly state of a user', () => {
  it('raises an alarm for the metric that is furthest beyond its limit', () => {
    expect(judge(workday(28, 40))).toMatchObject({ metric: 'requests', model: null, historyDays: 28 });
    const dear = workday(28, 5);
    expect(judge({ ...dear, counts: { ...dear.counts, cost_usd: hours({ 9: 50 }) } })).toMatchObject({
      metric: 'cost_usd',
      observed: 50,
    });
    expect(judge(workday(28, 6))).toBeUndefined();
  });

  it.each([
    ['the busiest hour of each day', workday(28, 0, { counts: ofEach(() => hours({ 9: 150 })) }), 'busiest', 5],
    [
      'the third busiest hour of each day',
      workday(28, 0, { counts: ofEach(() => hours({ 9: 60, 10: 60, 11: 60 })) }),
      'third',
      5,
    ],
    [
      'the unusual hours of each day',
      workday(28, 0, { counts: ofEach(() => hours({ 0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 })) }),
      'hours',
      0,
    ],
  ])('gives the earlier values of the measure that the rule compares: %s', (_, day, rule, value) => {
    const quiet = { ...day, counts: { ...day.counts, tokens: hours({}), cost_usd: hours({}) }, models: new Map() };
    const alarm = judge(quiet);
    expect(alarm).toMatchObject({ rule, historyDays: 28 });
    expect(alarm?.past.map(each => each.value)).toEqual(Array.from({ length: 28 }, () => value));
  });

  it('raises one alarm for all metrics and models of an episode', () => {
    const after = watched([workday(28, 40)], month);
    expect(judge(workday(29, 40), after)).toBeUndefined();
    expect(judge(workday(29, 1_000), after)).toMatchObject({ metric: 'requests' });
  });

  it('raises no alarm below the minimum of every metric', () => {
    const small = watched(Array.from({ length: 28 }, (_, day) => workday(day, 0.1)));
    expect(judge(workday(28, 1.1), small)).toBeUndefined();
  });

  it('raises no alarm for a model that replaces another', () => {
    const moved = workday(28, 5, { models: new Map([['gpt-5', workday(0, 5).counts.requests]]) });
    expect(judge(moved)).toBeUndefined();
  });

  it('raises alarms for a leaver at lower limits, and for a new model', () => {
    expect(judge(workday(28, 12))).toBeUndefined();
    expect(judge(workday(28, 12, { isLeaver: true }))).toMatchObject({ metric: 'requests' });
    const moved = workday(28, 5, { models: new Map([['gpt-5', workday(0, 5).counts.requests]]), isLeaver: true });
    expect(judge(moved)).toMatchObject({ rule: 'new_model', model: 'gpt-5', expectedHigh: 0 });
  });

  it('keeps the twenty most recently used models, whatever their names', () => {
    const names = ['__proto__', 'constructor', ...Array.from({ length: 30 }, (_, at) => `model-${at}`)];
    const watch = watched(
      names.map((name, day) => workday(day, 1, { models: new Map([[name, workday(0, 1).counts.requests]]) })),
    );
    expect([...watch.models.keys()].toSorted()).toEqual(names.slice(-20).toSorted());
    const odd = watched([workday(0, 1, { models: new Map([['__proto__', workday(0, 1).counts.requests]]) })]);
    expect(unpackWatch(packWatch(odd))?.models.get('__proto__')?.days).toHaveLength(1);
  });

  it('adds a day to the cohorts when a later one begins', () => {
    const update = watchPerson(month, workday(28, 5), NO_COHORTS, DEFAULT_WATCH_SETTINGS);
    expect(update.completed?.requests).toMatchObject({ day: 27, total: 40 });
    expect(watchPerson(update.watch, workday(28, 6), NO_COHORTS, DEFAULT_WATCH_SETTINGS).completed).toBeUndefined();
  });

  it('is unchanged after storage, to whole tokens and millionths of a dollar', () => {
    const requests = fc.array(fc.nat(50), { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(fc.array(requests, { maxLength: 20 }), days => {
        const watch = watched(
          days.map((counts, day) =>
            workday(day, 1, { counts: ofEach(() => counts), models: new Map([['m', counts]]) }),
          ),
        );
        const stored = unpackWatch(packWatch(watch));
        expect(stored).toEqual(unpackWatch(packWatch(stored ?? NEW_WATCH)));
        expect(stored?.metrics.requests).toEqual(watch.metrics.requests);
        expect(stored?.episode).toEqual(watch.episode);
      }),
    );
  });

  it('takes at most 3,000 bytes if one model was used on each of 90 days', () => {
    const work = (day: number): WatchedDay => workday(day, 5 + (day % 7));
    const packed = packWatch(watched(Array.from({ length: 91 }, (_, day) => work(day))));
    expect(packed.length).toBeLessThan(3_000);
  });

  it('is stored with zero instead of a negative size', () => {
    const cheaper = workday(28, 5, { counts: { ...workday(28, 5).counts, cost_usd: hours({ 9: 5, 10: -0.01 }) } });
    const stored = unpackWatch(packWatch(watched([cheaper], month)));
    expect(stored?.metrics.cost_usd.days.at(-1)).toMatchObject({ busiest: 500, eighth: 0 });
  });

  it('is unknown if another version stored it', () => {
    expect(unpackWatch(Buffer.from('{"v":1}'))).toBeUndefined();
  });
});

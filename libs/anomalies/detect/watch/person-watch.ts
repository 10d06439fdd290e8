import { shapeOf, type DayShape } from '../person/day-shape.js';
import { type Episode, withSurprise } from '../person/episode.js';
import { NO_COHORT, withCohortDay, type Cohort } from '../person/expectation.js';
import { type History, NO_HISTORY, type Past, pastOf, withDay } from '../person/history.js';
import {
  findingOf,
  PERSON_RULES,
  pastValues,
  sizeFindingOf,
  strongest,
  type Finding,
  type PastValue,
} from '../person/rules.js';
import type { PersonSettings } from '../person/settings.js';
import { type Metric, METRICS, type OfEach, ofEach } from './figures.js';
import { leaverSettings, modelSettings, personSettings, unitOf, type WatchSettings } from './watch-settings.js';

/** The state of a person's usage. Plain data, bounded by the window and by the number of models. */
export interface PersonWatch {
  readonly metrics: OfEach<History>;
  /** Requests per model, for the models that were used most recently. */
  readonly models: ReadonlyMap<string, History>;
  /** One episode for all metrics and models, so that one cause raises one alarm. */
  readonly episode: Episode | null;
  /** Factor of all limits, learned from feedback. */
  readonly tolerance: number;
}

/** The state of a person without history. */
export const NEW_WATCH: PersonWatch = {
  metrics: ofEach(() => NO_HISTORY),
  models: new Map(),
  episode: null,
  tolerance: 1,
};

/** The average active day of all people of an organization, by metric. */
export type Cohorts = OfEach<Cohort>;

/** The cohorts of an organization without any usage yet. */
export const NO_COHORTS: Cohorts = ofEach(() => NO_COHORT);

/** The usage of one person on one local day, so far. Each list has 24 values, one for each local hour. */
export interface WatchedDay {
  /** Days since the epoch. */
  readonly day: number;
  readonly counts: OfEach<readonly number[]>;
  /** Requests by model, in 24 local hours. */
  readonly models: ReadonlyMap<string, readonly number[]>;
  /** Whether the person will leave soon, or should have left already. */
  readonly isLeaver: boolean;
}

/** Identifier of the rule. */
export type WatchRule = keyof typeof WATCH_RULES;

/** Description of the finding. */
export const WATCH_RULES = {
  ...PERSON_RULES,
  new_model: 'the person is about to leave and used a model for the first time',
} as const;

/** An unusual day of a person. */
export interface WatchFinding {
  readonly rule: WatchRule;
  /** The metric; `active_hours` for the rule `hours`. */
  readonly metric: Metric | 'active_hours';
  /** The model if the finding concerns a single model, otherwise null. */
  readonly model: string | null;
  readonly observed: number;
  readonly expectedLow: number;
  readonly expectedHigh: number;
  /** Ratio of the deviation to the limit: 1 is exactly at the limit. */
  readonly strength: number;
  /** Number of past days with which the day was compared. */
  readonly historyDays: number;
  /** The values of the measure of the rule on earlier active days, in the unit of the metric, oldest first. */
  readonly past: readonly PastValue[];
}

/** Result of adding a day. */
export interface WatchUpdate {
  readonly watch: PersonWatch;
  /** The finding, if the day starts an episode or escalates it. */
  readonly alarm?: WatchFinding;
  /** The person's previous day if it is now complete. The cohorts need it. */
  readonly completed?: OfEach<DayShape>;
}

/** Number of active days of a model from which its requests are also compared separately. */
const MODEL_DAYS = 14;
/** Maximum number of models kept per person. */
const MODELS_MAX = 20;
/** Number of the person's active days from which a new model counts as unusual. Applies to leaving people only. */
const KNOWN_DAYS = 5;

/**
 * Adds one day of a person to the watch and compares it with earlier days. The same day may be added again with other
 * counts, which replace the former ones. All metrics and models share one episode.
 */
export function watchPerson(
  watch: PersonWatch,
  today: WatchedDay,
  cohorts: Cohorts,
  settings: WatchSettings,
): WatchUpdate {
  const shapes = ofEach(metric => scaledShape(today.day, today.counts[metric], unitOf(metric)));
  const rules = personSettings('requests', settings, watch.tolerance);
  const found = strongest(
    [
      ...METRICS.map(metric => metricFinding(metric, shapes[metric], today, watch, cohorts, settings)),
      ...modelFindings(today, watch, rules),
    ].filter(finding => finding !== undefined),
  );
  const next = withToday(watch, today, shapes, rules.windowDays);
  const completed = lastDayBefore(watch, today.day);
  const rest = completed ? { completed } : {};
  if (!found) return { watch: next, ...rest };
  const { episode, alarms } = withSurprise(watch.episode, today.day, found.strength, rules);
  return { watch: { ...next, episode }, ...(alarms ? { alarm: found } : {}), ...rest };
}

/** Adds one completed day of one person to the cohorts. */
export function withCompletedDay(cohorts: Cohorts, shapes: OfEach<DayShape>): Cohorts {
  return ofEach(metric =>
    shapes[metric].total > 0 ? withCohortDay(cohorts[metric], shapes[metric]) : cohorts[metric],
  );
}

function scaledShape(day: number, counts: readonly number[], unit: number): DayShape {
  return shapeOf(
    day,
    counts.map(count => count / unit),
  );
}

function metricFinding(
  metric: Metric,
  shape: DayShape,
  { day, isLeaver }: WatchedDay,
  { metrics, tolerance }: PersonWatch,
  cohorts: Cohorts,
  settings: WatchSettings,
): WatchFinding | undefined {
  const usual = personSettings(metric, settings, tolerance);
  const rules = isLeaver ? leaverSettings(usual) : usual;
  const past = pastOf(metrics[metric], day, rules.windowDays);
  const finding = findingOf(shape, past, cohorts[metric], rules);
  return finding && watchFinding(finding, past, rules, { metric, model: null });
}

function modelFindings(
  { day, models, isLeaver }: WatchedDay,
  watch: PersonWatch,
  usual: PersonSettings,
): WatchFinding[] {
  const known = pastOf(watch.metrics.requests, day, usual.windowDays).days.length >= KNOWN_DAYS;
  return [...models].flatMap(([model, counts]): WatchFinding[] => {
    const shape = shapeOf(day, counts);
    const past = pastOf(watch.models.get(model) ?? NO_HISTORY, day, usual.windowDays);
    if (isLeaver && known && past.days.length === 0 && shape.total > 0)
      return [newModel(model, shape.total, watch, day)];
    if (past.days.length < MODEL_DAYS) return [];
    const rules = modelSettings(isLeaver ? leaverSettings(usual) : usual);
    const finding = sizeFindingOf(shape, past, NO_COHORT, rules);
    return finding ? [watchFinding(finding, past, rules, { metric: 'requests', model })] : [];
  });
}

function newModel(model: string, observed: number, watch: PersonWatch, day: number): WatchFinding {
  const historyDays = day - (watch.metrics.requests.firstDay ?? day);
  const nothing = { expectedLow: 0, expectedHigh: 0, past: [] };
  return { rule: 'new_model', metric: 'requests', model, observed, strength: 1.01, historyDays, ...nothing };
}

function watchFinding(
  { rule, observed, expectedLow, expectedHigh, strength }: Finding,
  past: Past,
  settings: PersonSettings,
  { metric, model }: { metric: Metric; model: string | null },
): WatchFinding {
  const unit = rule === 'hours' ? 1 : unitOf(metric);
  return {
    rule,
    metric: rule === 'hours' ? 'active_hours' : metric,
    model,
    observed: observed * unit,
    expectedLow: expectedLow * unit,
    expectedHigh: expectedHigh * unit,
    strength,
    historyDays: past.length,
    past: pastValues(rule, past, settings).map(({ day, value }) => ({ day, value: value * unit })),
  };
}

function withToday(watch: PersonWatch, today: WatchedDay, shapes: OfEach<DayShape>, windowDays: number): PersonWatch {
  const models = new Map(watch.models);
  for (const [model, counts] of today.models) {
    models.set(model, withDay(models.get(model) ?? NO_HISTORY, shapeOf(today.day, counts), windowDays));
  }
  return {
    ...watch,
    metrics: ofEach(metric => withDay(watch.metrics[metric], shapes[metric], windowDays)),
    models: lastUsed(models),
  };
}

function lastUsed(models: ReadonlyMap<string, History>): ReadonlyMap<string, History> {
  if (models.size <= MODELS_MAX) return models;
  const newest = ([, { days }]: readonly [string, History]): number => days.at(-1)?.day ?? 0;
  return new Map([...models].toSorted((a, b) => newest(b) - newest(a)).slice(0, MODELS_MAX));
}

/** The newest day of the watch, if it is before `day`. */
function lastDayBefore({ metrics }: PersonWatch, day: number): OfEach<DayShape> | undefined {
  const last = metrics.requests.days.at(-1);
  if (last === undefined || last.day >= day) return undefined;
  return ofEach(metric => metrics[metric].days.findLast(shape => shape.day === last.day) ?? shapeOf(last.day, []));
}

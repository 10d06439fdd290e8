// Regular series: an organization by hour
export { NEW_SERIES, updateSeries, type SeriesAlarm, type SeriesState } from './series/detector.js';
export { SERIES_SETTINGS } from './series/settings.js';
export { SERIES_RULES } from './series/views.js';

// People and tenants: days with hours
export { NEW_PERSON, updatePerson, type PersonState } from './person/detector.js';
export { shapeOf, type DayShape } from './person/day-shape.js';
export { NO_COHORT, withCohortDay } from './person/expectation.js';
export { PERSON_RULES, type PersonRule } from './person/rules.js';
export { PERSON_SETTINGS } from './person/settings.js';

// Live usage: all metrics of a person or an organization together
export { ofEach, type Metric, type OfEach } from './watch/figures.js';
export {
  HOUR_RULES,
  NEW_ORGANIZATION_WATCH,
  watchOrganization,
  type HourFinding,
  type OrganizationWatch,
} from './watch/organization-watch.js';
export {
  NEW_WATCH,
  NO_COHORTS,
  WATCH_RULES,
  watchPerson,
  withCompletedDay,
  type Cohorts,
  type PersonWatch,
  type WatchedDay,
  type WatchFinding,
  type WatchRule,
} from './watch/person-watch.js';
export { packWatch, unpackWatch } from './watch/packed-watch.js';
export { DEFAULT_WATCH_SETTINGS, SENSITIVITIES, type Sensitivity, type WatchSettings } from './watch/watch-settings.js';

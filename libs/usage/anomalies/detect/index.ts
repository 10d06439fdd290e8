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

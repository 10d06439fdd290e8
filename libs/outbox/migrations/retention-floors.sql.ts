import { APP_ROLE, LOOKUP_ROLE, SCHEMA } from '#database';

/** Data with a retention of its own: one row of `retention_floors` each. */
export type Retained = 'events' | 'decisions' | 'usage';

/**
 * The minimum retention in days, written by the role of the migrations. Functions that delete old rows of all
 * organizations take the days from the app, but never go below this floor. The role of the app can read the table but
 * not change it.
 */
export const RETENTION_FLOORS: readonly string[] = [
  `create table ${SCHEMA}.retention_floors (
    name text primary key,
    keep_days integer not null check (keep_days >= 1),
    default_days integer not null)`,
  `insert into ${SCHEMA}.retention_floors (name, keep_days, default_days)
   values ('events', 30, 30), ('decisions', 90, 90), ('usage', 400, 400)`,
  `grant select on ${SCHEMA}.retention_floors to ${APP_ROLE}, ${LOOKUP_ROLE}`,
];

/** SQL of the retention: the requested days, but at least the floor. A name without a floor is an error. */
export function atLeastFloor(name: string, days: string): string {
  return `greatest(${days}, (select f.keep_days from ${SCHEMA}.retention_floors f where f.name = ${name}))`;
}

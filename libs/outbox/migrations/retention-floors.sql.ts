import { APP_ROLE, LOOKUP_ROLE, SCHEMA } from '#database';

/** What is kept for a time of its own: a row of `retention_floors` each. */
export type Retained = 'events' | 'decisions' | 'usage';

/**
 * The fewest days for which the database keeps what it holds, as the role of the migrations wrote them. Functions that
 * drop old rows of every organization take days from the app, and never keep less than this: the app's role reads the
 * table and cannot change it.
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

/** SQL of the days to keep: those asked for, or the floor where that is more. A name without a floor is an error. */
export function atLeastFloor(name: string, days: string): string {
  return `greatest(${days}, (select f.keep_days from ${SCHEMA}.retention_floors f where f.name = ${name}))`;
}

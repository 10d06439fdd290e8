import { APP_ROLE, LOOKUP_ROLE, SCHEMA } from '#database';

/** Kinds of data with a separate retention. Each has one row in `retention_floors`. */
export type Retained = 'events' | 'decisions' | 'usage' | 'audit_log' | 'incidents' | 'tickets';

/** Minimum retention of records that are kept forever by default, in days: about 2,700 years. */
export const FOREVER_DAYS = 1_000_000;

/**
 * The minimum retention in days, written by the role of the migrations. Functions that delete old rows of all
 * organizations get the days from the app, but never go below this minimum. The app's role can read the table but not
 * change it.
 */
export const RETENTION_FLOORS: readonly string[] = [
  `create table ${SCHEMA}.retention_floors (
    name text primary key,
    keep_days integer not null check (keep_days >= 1),
    default_days integer not null)`,
  `insert into ${SCHEMA}.retention_floors (name, keep_days, default_days)
   values ('events', 30, 30), ('decisions', 90, 90), ('usage', 400, 400), ('audit_log', ${FOREVER_DAYS}, ${FOREVER_DAYS}),
     ('incidents', ${FOREVER_DAYS}, ${FOREVER_DAYS}), ('tickets', ${FOREVER_DAYS}, ${FOREVER_DAYS})`,
  `grant select on ${SCHEMA}.retention_floors to ${APP_ROLE}, ${LOOKUP_ROLE}`,
];

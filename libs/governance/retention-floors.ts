import { SCHEMA, type StatementClient } from '#database';
import { FOREVER_DAYS, type Retained } from '#outbox';
import type { Retention } from './retention.js';

const NAMES: readonly Retained[] = ['events', 'decisions', 'usage', 'audit_log', 'incidents', 'tickets'];

const SET = `
update ${SCHEMA}.retention_floors f set keep_days = coalesce(given.days, f.default_days)
from unnest($1::text[], $2::integer[]) as given (name, days)
where f.name = given.name and f.keep_days <> coalesce(given.days, f.default_days)`;

const HIGHER = `
select f.name, f.keep_days as floor, coalesce(given.days, f.default_days) as wanted
from ${SCHEMA}.retention_floors f join unnest($1::text[], $2::integer[]) as given (name, days) on f.name = given.name
where f.keep_days > coalesce(given.days, f.default_days) order by f.name`;

/**
 * Stores the minimum retention of records, with the role of the migrations. The app's role cannot change it. Otherwise,
 * an SQL injection in the app could delete the records of every organization.
 */
export async function setFloors(client: StatementClient, retention: Retention): Promise<void> {
  await client.query(SET, parametersOf(retention));
}

/** One sentence for each kind of record that the database keeps longer than the options request. */
export async function higherFloors(client: StatementClient, retention: Retention): Promise<string[]> {
  const { rows } = await client.query<{ name: string; floor: number; wanted: number }>(HIGHER, parametersOf(retention));
  return rows.map(
    ({ name, floor, wanted }) =>
      `The database keeps ${name.replace('_', ' ')} ${spanOf(floor)}, not ${spanOf(wanted)}: only the role of the migrations may shorten it. ` +
      'Run `npx nest-llm-governance migrate` with the same retention settings.',
  );
}

function parametersOf(retention: Retention): [Retained[], (number | null)[]] {
  // Invalid values are ignored here, because the library that owns the option refuses them with a message.
  const days = NAMES.map(name => retention[name] ?? null);
  return [[...NAMES], days.map(each => (each !== null && Number.isInteger(each) && each >= 1 ? each : null))];
}

function spanOf(days: number): string {
  return days >= FOREVER_DAYS ? 'forever' : `for ${days} days`;
}

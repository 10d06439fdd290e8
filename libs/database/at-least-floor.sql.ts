import { SCHEMA } from './database.options.js';

/**
 * SQL expression for a retention in days: the requested days, but at least the minimum that the database enforces. A
 * name without a minimum is an error.
 */
export function atLeastFloor(name: string, days: string): string {
  return `greatest(${days}, (select f.keep_days from ${SCHEMA}.retention_floors f where f.name = ${name}))`;
}

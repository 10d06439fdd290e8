import { SCHEMA } from './database.options.js';

/** SQL of the retention: the requested days, but at least the floor. A name without a floor is an error. */
export function atLeastFloor(name: string, days: string): string {
  return `greatest(${days}, (select f.keep_days from ${SCHEMA}.retention_floors f where f.name = ${name}))`;
}

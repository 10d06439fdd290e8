import type { TestDatabase } from './test-postgres.js';

/** The database's clock, controlled by a test. */
export interface MovedTime {
  /** Advances the clock by milliseconds. Workers do not notice this by themselves, so wake them. */
  advance(milliseconds: number): Promise<void>;
  /** The current time of the clock. */
  now(): Promise<Date>;
}

/**
 * Replaces the clock (`governance.now()`) of one database, which decides when tasks are due and leases expire. The
 * clock keeps running and jumps when it is advanced. With `standsAt`, it starts at that time and changes only when it
 * is advanced. Call it after the migrations.
 */
export async function moveTime(database: TestDatabase, options: { standsAt?: Date } = {}): Promise<MovedTime> {
  await database.asOwner(`create schema if not exists moved_time`);
  await database.asOwner(`create table moved_time.clock (stands_at timestamptz, moved interval not null)`);
  await database.asOwner(`insert into moved_time.clock values ($1, interval '0')`, [options.standsAt ?? null]);
  // All roles need access: functions that claim tasks run as a separate role, and every worker reads the time.
  await database.asOwner(`grant usage on schema moved_time to public`);
  await database.asOwner(`grant select on moved_time.clock to public`);
  await database.asOwner(`create or replace function governance.now() returns timestamptz language sql volatile
    as $$ select coalesce(stands_at, pg_catalog.clock_timestamp()) + moved from moved_time.clock $$`);
  return {
    async advance(milliseconds) {
      await database.asOwner(`update moved_time.clock set moved = moved + $1 * interval '1 millisecond'`, [
        milliseconds,
      ]);
    },
    async now() {
      const [row] = await database.asOwner<{ now: Date }>(`select governance.now() as now`);
      if (!row) throw new Error('the database tells no time');
      return row.now;
    },
  };
}

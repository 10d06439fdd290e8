import type { TestDatabase } from './test-postgres.js';

/** The database's clock in the hands of a test. */
export interface MovedTime {
  /** Moves the clock on by milliseconds. Workers do not notice by themselves: wake them. */
  advance(milliseconds: number): Promise<void>;
  /** What the clock says. */
  now(): Promise<Date>;
}

/**
 * Replaces the clock by which tasks are due and leases run out (`governance.now()`) in one database. It goes on as it
 * did, and jumps by what it is advanced; with `standsAt` it stands at that time and moves by being advanced alone. To
 * be called when the migrations have run.
 */
export async function moveTime(database: TestDatabase, options: { standsAt?: Date } = {}): Promise<MovedTime> {
  await database.asOwner(`create schema if not exists moved_time`);
  await database.asOwner(`create table moved_time.clock (stands_at timestamptz, moved interval not null)`);
  await database.asOwner(`insert into moved_time.clock values ($1, interval '0')`, [options.standsAt ?? null]);
  // Functions that claim tasks run as a role of their own, and whoever works asks for the time.
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

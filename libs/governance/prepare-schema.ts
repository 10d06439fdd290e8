import pg from 'pg';
import { migrate, pendingMigrations, type DatabaseOptions, type NamedMigration } from '#database';
import { MIGRATIONS } from './features.js';
import type { GovernanceOptions } from './governance.options.js';

/** Brings the schema up to date, or refuses to boot with the command that does. */
export async function prepareSchema(
  options: GovernanceOptions['database'],
  migrations: readonly NamedMigration[],
): Promise<void> {
  if (options.migrations === 'run') {
    await migrate(options, migrations);
    return;
  }
  const client = new pg.Client({ connectionString: options.url });
  await client.connect();
  try {
    const pending = await pendingMigrations(async sql => (await client.query<object>(sql)).rows, migrations);
    if (pending.length > 0) {
      throw new Error(
        `The governance schema lacks ${pending.length} migrations (${pending.join(', ')}). Run ` +
          "`npx nest-llm-governance migrate` with this DATABASE_URL, or set database.migrations to 'run'.",
      );
    }
  } finally {
    await client.end();
  }
}

/** Brings the schema up to date with the rights of the URL's own role; returns the names of what was applied. */
export function runMigrations(options: DatabaseOptions): Promise<string[]> {
  return migrate(options, MIGRATIONS);
}

import { Command } from 'commander';
import { MIGRATIONS, retentionOf, runMigrations } from 'nest-llm-governance';
import { readConfig } from '../config.js';
import { reachDatabase } from '../database.js';
import { JSON_OPTION, print } from './output.js';

/** `migrate`: brings the schema up to date. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database schema up to date')
    .option(...JSON_OPTION)
    .action(async (options: { json?: boolean }) => {
      const config = readConfig();
      const database = await reachDatabase(config);
      try {
        const { url, migrationUrl } = database;
        const applied = await runMigrations(
          { url, ...(migrationUrl === undefined ? {} : { migrationUrl }) },
          retentionOf(config.options),
        );
        const lines = applied.length === 0 ? ['The schema is up to date.'] : applied.map(name => `applied ${name}`);
        print(options.json, { applied, total: MIGRATIONS.length }, lines);
      } finally {
        await database.release();
      }
    });
}

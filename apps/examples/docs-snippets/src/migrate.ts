import { runMigrations } from 'nest-llm-governance';

/** Migrates the schema. Run this program once in a deployment, before the new version starts. */
export async function migrateGovernance(databaseUrl: string): Promise<void> {
  const applied = await runMigrations({ url: databaseUrl });
  process.stdout.write(`governance: ${applied.length} migrations applied\n`);
}

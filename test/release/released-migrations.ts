import { createHash } from 'node:crypto';
import type { NamedMigration } from '../../libs/database/index.js';

/** For each released version, the SHA-256 of the statements of each migration, by the name of the migration. */
export type Checksums = Readonly<Record<string, string>>;

/**
 * The checksums of the current migrations. They cover the statements and not the source, because a helper may change
 * the statements.
 */
export async function checksumsOf(migrations: readonly NamedMigration[]): Promise<Checksums> {
  const entries = migrations.map(async ({ name, class: Migration }) => {
    // A migration generates its statements without the driver and the configuration.
    const migration = new Migration(undefined as never, undefined as never);
    await migration.up();
    const hash = createHash('sha256');
    for (const query of migration.getQueries()) hash.update(`${JSON.stringify(query)}\n`);
    return [name, hash.digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Returns a sentence for each migration of a released version that is missing or has other statements now. */
export function changesSince(released: Readonly<Record<string, Checksums>>, now: Checksums): string[] {
  const current = new Map(Object.entries(now));
  return Object.entries(released).flatMap(([version, checksums]) =>
    Object.entries(checksums).flatMap(([name, checksum]) => {
      const found = current.get(name);
      if (found === checksum) return [];
      const what = found === undefined ? 'is gone' : 'has other statements';
      return [`${name} ${what} since ${version}. Databases have run it: put it back, and add a migration instead.`];
    }),
  );
}

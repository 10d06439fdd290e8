import type { StandaloneConfig } from './config.js';
import { findRunningPostgres, startEmbeddedPostgres } from './embedded-postgres.js';

/** A database to work with, and how to let go of it. */
export interface DatabaseHandle {
  url: string;
  release(): Promise<void>;
}

/** For the server: the named database, or an embedded one that this process starts and stops. */
export async function openDatabase(config: StandaloneConfig): Promise<DatabaseHandle> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, release: async () => undefined };
  const server = await startEmbeddedPostgres(config.dataDir);
  return { url: server.url, release: () => server.stop() };
}

/** For a command: besides, the embedded database of an app that is running on the same data folder. */
export async function reachDatabase(config: StandaloneConfig): Promise<DatabaseHandle> {
  const running = config.databaseUrl === undefined ? findRunningPostgres(config.dataDir) : undefined;
  if (running) return { url: running.url, release: async () => undefined };
  return openDatabase(config);
}

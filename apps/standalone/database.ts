import type { StandaloneConfig } from './config.js';
import { takeDataFolder } from './data-folder.js';
import { passwordIn, startEmbeddedPostgres } from './embedded-postgres.js';
import { ensureLoginRole } from './login-role.js';
import { announceDatabase, findRunningDatabase } from './running-file.js';

/** A connection to a database, and a function that releases it. */
export interface DatabaseHandle {
  url: string;
  /** URL for migrations, if it differs from the app's URL. */
  migrationUrl?: string | undefined;
  /** Resolves with the reason if the embedded server that this process started ends unexpectedly. */
  lost?: Promise<string>;
  release(): Promise<void>;
}

const LOGIN_PASSWORD_FILE = 'login-password';

/** Opens the database for the server: the configured one, or an embedded one that this process starts and stops. */
export async function openDatabase(config: StandaloneConfig): Promise<DatabaseHandle> {
  const { databaseUrl: url, migrationUrl, dataDir } = config;
  if (url !== undefined) return { url, migrationUrl, release: async () => undefined };
  const giveBack = await takeDataFolder(dataDir);
  try {
    const server = await startEmbeddedPostgres(dataDir);
    try {
      const urls = {
        url: await ensureLoginRole(server.url, passwordIn(dataDir, LOGIN_PASSWORD_FILE)),
        migrationUrl: server.url,
      };
      const withdraw = announceDatabase(dataDir, urls);
      return {
        ...urls,
        lost: server.lost,
        async release() {
          withdraw();
          await server.stop();
          giveBack();
        },
      };
    } catch (error) {
      await server.stop();
      throw error;
    }
  } catch (error) {
    giveBack();
    throw error;
  }
}

/**
 * Opens the database for a command. Unlike `openDatabase`, it also finds the embedded database of an app that runs on
 * the same data folder.
 */
export async function reachDatabase(config: StandaloneConfig): Promise<DatabaseHandle> {
  const running = config.databaseUrl === undefined ? findRunningDatabase(config.dataDir) : undefined;
  if (running) return { ...running, release: async () => undefined };
  return openDatabase(config);
}

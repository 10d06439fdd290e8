import type { GovernanceOptions } from 'nest-llm-governance';
import type { StandaloneConfig } from './config.js';
import type { DatabaseHandle } from './database.js';

/**
 * The options of the module for a database. `workers: false` disables background work, even if the environment enables
 * it.
 */
export function moduleOptions(
  config: StandaloneConfig,
  database: Pick<DatabaseHandle, 'url' | 'migrationUrl'>,
  { workers }: { workers: boolean },
): GovernanceOptions {
  const { options, keys } = config;
  return {
    ...options,
    database: {
      migrations: 'run',
      ...options.database,
      url: database.url,
      ...(database.migrationUrl === undefined ? {} : { migrationUrl: database.migrationUrl }),
    },
    keys,
    outbox: workers ? { ...options.outbox } : { ...options.outbox, workers: false },
  };
}

import { startStandalone, type StandaloneProcess } from '../../support/standalone-process.js';
import { KEYS, type Stage } from './stage.js';

/** Starts the bundled app of the build on the database of a stage, as a replica of its host. */
export function startBundledApp(stage: Stage, databaseUrl = stage.app.database.url): Promise<StandaloneProcess> {
  return startStandalone({
    DATABASE_URL: databaseUrl,
    GOVERNANCE_KEYS: KEYS,
    GOVERNANCE_EGRESS_ALLOW: '127.0.0.0/8',
    GOVERNANCE_RATE_LIMIT: '0',
    NODE_EXTRA_CA_CERTS: stage.caFile,
  });
}

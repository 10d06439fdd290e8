import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startStandalone, type StandaloneProcess } from '../../support/standalone-process.js';
import { KEYS, type Stage } from './stage.js';

const SHIFTED_CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.mjs')).href;

/** Starts the bundled app of the build with the database of a stage, as a replica of its host. `more` are settings. */
export function startBundledApp(
  stage: Stage,
  databaseUrl = stage.app.database.url,
  more: Record<string, string> = {},
): Promise<StandaloneProcess> {
  return startStandalone({
    DATABASE_URL: databaseUrl,
    GOVERNANCE_KEYS: KEYS,
    GOVERNANCE_EGRESS_ALLOW: '127.0.0.0/8',
    GOVERNANCE_RATE_LIMIT: '0',
    NODE_EXTRA_CA_CERTS: stage.caFile,
    ...more,
  });
}

/** Settings of a replica whose clock is `shiftMs` ahead, and jumps by `jumpMs` with each SIGUSR2. */
export function shiftedClock(shiftMs: number, jumpMs: number): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${SHIFTED_CLOCK}`,
    CLOCK_SHIFT_MS: String(shiftMs),
    CLOCK_JUMP_MS: String(jumpMs),
  };
}

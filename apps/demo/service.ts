import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The bundled app, which runs as a process of its own. */
export interface Service {
  /** Address of the app, such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly adminToken: string;
  /** Resolves when the app's process has ended. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Starts the app as `npm start` does. The app ends when this process ends.
 * @param caFile certificates of the demo's platforms, in PEM
 * @throws Error with the app's output
 */
export async function startService(dataDir: string, caFile: string): Promise<Service> {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'start.mjs')], {
    env: {
      ...process.env,
      GOVERNANCE_DATA_DIR: dataDir,
      GOVERNANCE_RATE_LIMIT: '0',
      GOVERNANCE_LOG_FORMAT: 'json',
      // Webhooks and connectors may send only to this machine.
      GOVERNANCE_EGRESS_ALLOW: '127.0.0.1/32',
      NODE_EXTRA_CA_CERTS: caFile,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>(done => child.once('exit', () => done()));
  const stop = (): Promise<void> => {
    child.kill('SIGTERM');
    return ended;
  };
  const origin = await announcedBy(child);
  const adminToken = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  return { origin, adminToken, ended, stop };
}

/** The address that the app prints when it is ready. */
function announcedBy(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let output = '';
    const read = (chunk: unknown): void => {
      output += String(chunk);
      const address = /^\{.*"api":"(http[^"]+?)\/v1".*\}$/m.exec(output)?.[1];
      if (address !== undefined) done(address);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => fail(new Error(`the app did not start:\n${output}`)));
  });
}

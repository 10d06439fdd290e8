import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataFolder } from './data-folder.js';
import { COMPILE_CACHE } from './compile-cache.js';

const root = join(import.meta.dirname, '..', '..');

/** Time limit of a start. It takes seconds, and minutes on a heavily loaded machine. */
const START_MS = 180_000;

/** The built app as a separate process. */
export interface StandaloneProcess {
  process: ChildProcess;
  url: string;
  orgId: string;
  /** The admin token, from the file that the first boot names; undefined at later boots. */
  token: string | undefined;
  /** The file with the first boot's token; undefined at later boots. */
  tokenFile: string | undefined;
  /** All of its output so far. */
  output(): string;
  /** Whether the process is gone, by exit or by signal. */
  hasEnded(): boolean;
  /** Sends a signal. Resolves with the exit code (null if the signal ended the process) and the time until the exit. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; milliseconds: number }>;
}

/** A folder for the files of an app. The tests of one file share it. */
export function newDataDir(): string {
  return makeDataFolder('governance-standalone');
}

/** Runs a program of the build until it exits. */
export function runToEnd(
  program: 'main' | 'cli',
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = launch(program, args, env);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', chunk => (stdout += String(chunk)));
  child.stderr?.on('data', chunk => (stderr += String(chunk)));
  return new Promise(done => child.once('close', code => done({ code, stdout, stderr })));
}

/** PostgreSQL processes of a data folder. */
export function postgresOn(dataDir: string): number[] {
  const lines = execFileSync('ps', ['-ww', '-A', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.filter(line => line.includes(`-D ${join(dataDir, 'postgres')} `)).map(line => Number.parseInt(line, 10));
}

/** Starts the app on a free port, and waits until the app has printed its address. */
export async function startStandalone(env: Record<string, string>): Promise<StandaloneProcess> {
  // The working folder. An app with an external database writes its token there, so it must not be the folder of the
  // tests.
  const ownFolder = env['GOVERNANCE_DATA_DIR'] === undefined ? newDataDir() : undefined;
  const child = launch('main', [], { PORT: '0', ...(ownFolder && { GOVERNANCE_DATA_DIR: ownFolder }), ...env });
  if (ownFolder !== undefined) child.once('exit', () => rmSync(ownFolder, { recursive: true, force: true }));
  let output = '';
  child.stdout?.on('data', chunk => (output += String(chunk)));
  child.stderr?.on('data', chunk => (output += String(chunk)));
  const deadline = Date.now() + START_MS;
  let announced: Announced | undefined;
  while (!(announced = announcedIn(output))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the app did not start: ${output}`);
    await new Promise(done => setTimeout(done, 25));
  }
  const { url, orgId, tokenFile } = announced;
  return {
    process: child,
    url,
    orgId,
    token: tokenFile === undefined ? undefined : readFileSync(tokenFile, 'utf8').trim(),
    tokenFile,
    output: () => output,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    end(signal) {
      const begun = performance.now();
      return new Promise(done => {
        child.once('exit', code => done({ code, milliseconds: performance.now() - begun }));
        child.kill(signal);
      });
    },
  };
}

/** The app's announcement of its address and token. */
interface Announced {
  url: string;
  orgId: string;
  tokenFile: string | undefined;
}

/**
 * Reads the announcement from a log in JSON or text. Undefined until the announcement is complete, because it may
 * arrive in pieces.
 */
function announcedIn(output: string): Announced | undefined {
  const line = /^\{.*"api":".*\}$/m.exec(output)?.[0];
  if (line !== undefined) {
    const { api, org_id: orgId, admin_token_file: file } = JSON.parse(line) as Record<string, string | null>;
    return { url: (api ?? '').replace(/\/v1$/, ''), orgId: orgId ?? '', tokenFile: file ?? undefined };
  }
  if (!/Admin token.*\n/.test(output)) return undefined;
  const read = (pattern: RegExp): string | undefined => pattern.exec(output)?.[1];
  return {
    url: (read(/API +(http\S+)\/v1/) ?? '').replace(/\/$/, ''),
    orgId: read(/Organization +(\S+)/) ?? '',
    tokenFile: read(/Admin token +in the file (.+)/),
  };
}

/** Starts a program of the build, and does not wait until it is ready. */
export function launch(program: 'main' | 'cli', args: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [join(root, 'dist', 'apps', 'standalone', `${program}.js`), ...args], {
    // Passes only some variables, because the environment of the tests must not change the app.
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      ...COMPILE_CACHE,
      GOVERNANCE_DRAIN_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

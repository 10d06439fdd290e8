import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { bundledMain } from './bundled-main.js';
import { COMPILE_CACHE } from './compile-cache.js';
import type { WorkerSettings } from '../faults/processes/worker.main.js';

const folder = join(import.meta.dirname, '..', 'faults', 'processes');

/** Time limit of a start. It takes seconds, and minutes on a heavily loaded machine. */
const START_MS = 180_000;

/** A replica as a separate process, for tests that kill, stop and continue it. */
export interface GovernedProcess {
  /** Part of the user agent of the replica's requests. */
  readonly name: string;
  readonly pid: number;
  /** All of its output so far. */
  output(): string;
  /** Whether the process is gone, by exit or by signal. */
  hasEnded(): boolean;
  /** Sends a signal that does not end the process, such as SIGSTOP. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; milliseconds: number }>;
}

export interface WorkerOptions extends Partial<WorkerSettings> {
  databaseUrl: string;
  keys: string;
  name: string;
  /** File with certificates that the process trusts in addition to the default ones. */
  caFile: string;
  /** The error of the clock on the replica's machine. Default: 0. */
  clockShiftMs?: number;
}

/** Starts a replica of the build that only does background work, and waits until it is ready. */
export async function startWorker(options: WorkerOptions): Promise<GovernedProcess> {
  const { caFile, clockShiftMs = 0, ...given } = options;
  const settings: WorkerSettings = { concurrency: 64, concurrencyPerWebhook: 16, ...given };
  return startProcess('worker.main.ts', settings.name, {
    NODE_EXTRA_CA_CERTS: caFile,
    WORKER_SETTINGS: JSON.stringify(settings),
    CLOCK_SHIFT_MS: String(clockShiftMs),
  });
}

/** Starts a process of the build and waits until it prints `ready`. Its main file is in `test/faults/processes`. */
export async function startProcess(
  main: string,
  name: string,
  environment: Record<string, string>,
): Promise<GovernedProcess> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', await bundledMain(join(folder, main))],
    {
      env: { PATH: process.env['PATH'] ?? '', ...COMPILE_CACHE, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  // Ignores errors of the input: killing a process breaks this pipe, by which the process detects the end of this one.
  child.stdin.on('error', () => undefined);
  const started = handleOf(child, name);
  await untilReady(started);
  return started;
}

async function untilReady(worker: GovernedProcess): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (!/^ready$/m.test(worker.output())) {
    if (worker.hasEnded() || performance.now() > deadline) {
      if (!worker.hasEnded()) await worker.end('SIGKILL');
      throw new Error(`the worker ${worker.name} did not start: ${worker.output()}`);
    }
    await new Promise(done => setTimeout(done, 20));
  }
}

function handleOf(child: ChildProcess, name: string): GovernedProcess {
  let output = '';
  child.stdout?.on('data', chunk => (output += String(chunk)));
  child.stderr?.on('data', chunk => (output += String(chunk)));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    name,
    pid: child.pid ?? 0,
    output: () => output,
    hasEnded,
    signal: signal => void child.kill(signal),
    end: signal => {
      const begun = performance.now();
      return new Promise(done => {
        const tell = (): void => done({ code: child.exitCode, milliseconds: performance.now() - begun });
        if (hasEnded()) return tell();
        child.once('exit', tell);
        child.kill(signal);
      });
    },
  };
}

import 'reflect-metadata';
import { bundled } from './bundle.js';
import { nodeFault } from './node-version.js';
import type { RunningServer } from './server.js';

type Program = typeof import('./server.js');

/** Time limit of the shutdown, after the draining. */
const DEADLINE_MS = 15_000;

const stopping = new AbortController();
let server: RunningServer | undefined;

/**
 * Stops a running server, after draining it if `drain` is set. A server that is still starting stops at its next step.
 */
function stop(exitCode: number, drain: boolean): void {
  if (stopping.signal.aborted) return;
  stopping.abort();
  const drainMs = drain ? (server?.drainMs ?? 0) : 0;
  setTimeout(() => process.exit(exitCode), drainMs + DEADLINE_MS);
  if (server) void end(server, exitCode, drainMs);
}

async function end(running: RunningServer, exitCode: number, drainMs: number): Promise<void> {
  try {
    await running.stop(drainMs);
    process.exit(exitCode);
  } catch (error) {
    process.stderr.write(`The shutdown was not clean: ${error instanceof Error ? error.message : 'unknown'}\n`);
    process.exit(1);
  }
}

/** Stops the app, because it cannot work without its database. After a restart, the app starts the database again. */
async function endWithoutDatabase(lost: Promise<string>): Promise<void> {
  const reason = await lost;
  if (stopping.signal.aborted) return;
  process.stderr.write(`\nThe embedded PostgreSQL ${reason}. The app stops; start it again.\n\n`);
  stop(1, false);
}

// The handlers are installed first, so that a signal during the start stops whatever has already been started.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(0, signal === 'SIGTERM'));

try {
  const fault = nodeFault(process.version);
  if (fault !== undefined) throw new Error(fault);
  const bundle = bundled('server');
  const program: Program = await (bundle === undefined ? import('./server.js') : import(bundle));
  server = await program.startServer(stopping.signal);
  if (stopping.signal.aborted) await end(server, 0, 0);
  if (server.lost) void endWithoutDatabase(server.lost);
} catch (error) {
  if (stopping.signal.aborted) process.exit(0);
  process.stderr.write(`\nCould not start. ${error instanceof Error ? error.message : String(error)}\n\n`);
  process.exit(1);
}

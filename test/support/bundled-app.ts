import { runCommandLine } from '../../apps/standalone/command-line.js';
import { readConfig } from '../../apps/standalone/config.js';
import { startServer, type RunningServer } from '../../apps/standalone/server.js';

/** What a command brought. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Variables that decide what a command does. */
const VARIABLES = /^(GOVERNANCE_|DATABASE_URL|HOST$|PORT$)/;

/** The last command: each has the environment and the streams of this process for itself. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the bundled app in this process: the same code as in a process of its own, without the second of
 * processor time that loading the app takes there. Tests of processes use `runToEnd`.
 */
export function runCommand(args: readonly string[], variables: Record<string, string>): Promise<CommandResult> {
  const result = last.then(() => runAlone(args, variables));
  last = result.catch(() => undefined);
  return result;
}

/**
 * Starts the bundled app in this process, on a free port and without a delay at its shutdown. Tests of processes use
 * `startStandalone`.
 */
export function startInProcess(variables: Record<string, string>): Promise<RunningServer> {
  const config = readConfig({ PORT: '0', GOVERNANCE_DRAIN_SECONDS: '0', ...variables });
  return startServer(new AbortController().signal, config);
}

async function runAlone(args: readonly string[], variables: Record<string, string>): Promise<CommandResult> {
  const own = Object.entries(process.env).filter(([name]) => VARIABLES.test(name));
  const before = process.exitCode;
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  for (const [name] of own) delete process.env[name];
  Object.assign(process.env, variables);
  process.exitCode = 0;
  try {
    await runCommandLine(args);
    return { code: exitCode(), stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.exitCode = before;
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, Object.fromEntries(own));
    stderr.release();
    stdout.release();
  }
}

/** Of this process, if it ended now. */
function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

/** Keeps what is written to a stream, in place of writing it. */
function capture(stream: NodeJS.WriteStream): { text(): string; release(): void } {
  const chunks: Buffer[] = [];
  const own = Object.getOwnPropertyDescriptor(stream, 'write');
  stream.write = (chunk: string | Uint8Array, encoding?: unknown, callback?: unknown) => {
    chunks.push(Buffer.from(chunk as Uint8Array));
    const done = typeof encoding === 'function' ? encoding : callback;
    if (typeof done === 'function') done();
    return true;
  };
  return {
    text: () => Buffer.concat(chunks).toString(),
    release: () => {
      Reflect.deleteProperty(stream, 'write');
      if (own) Object.defineProperty(stream, 'write', own);
    },
  };
}

import { runCommandLine } from '../../apps/standalone/command-line.js';
import { readConfig } from '../../apps/standalone/config.js';
import { startServer, type RunningServer } from '../../apps/standalone/server.js';

/** The result of a command. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Environment variables that change the result of a command. */
const VARIABLES = /^(GOVERNANCE_|DATABASE_URL|HOST$|PORT$)/;

/**
 * The last command. Commands run one after the other, because each uses the environment and the streams of this
 * process.
 */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the bundled app in this process. A separate process would run the same code, but loading the app
 * there takes a second of CPU time. Tests of processes use `runToEnd`.
 */
export function runCommand(args: readonly string[], variables: Record<string, string>): Promise<CommandResult> {
  const result = last.then(() => runAlone(args, variables));
  last = result.catch(() => undefined);
  return result;
}

/**
 * Starts the bundled app in this process, on a free port and without a delay at shutdown. Tests of processes use
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

/** The exit code that this process would have if it ended now. */
function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

/** Captures writes to a stream instead of writing them. */
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

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';

const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** The path of a program from a Debian package, such as `haproxy`; undefined if it is not installed. */
export function debianProgram(name: string): string | undefined {
  return FOLDERS.map(folder => join(folder, name)).find(path => existsSync(path));
}

/** The account for programs that refuse to run as root; empty if this process is not root. */
export function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** An unused port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  // The address is a string only for pipes.
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** A program that runs until it is stopped. */
export interface RunningProgram {
  readonly process: ChildProcess;
  /** All output of the program so far. */
  readonly output: () => string;
  /** Sends a signal, SIGINT by default, and waits until the program has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program. Does not wait until it is ready. */
export function startProgram(
  path: string,
  args: readonly string[],
  options: { uid?: number; gid?: number; env?: Record<string, string>; cwd?: string } = {},
): RunningProgram {
  const child = spawn(path, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', chunk => (output += String(chunk)));
  child.stderr.on('data', chunk => (output += String(chunk)));
  child.on('error', error => (output += String(error)));
  return {
    process: child,
    output: () => output,
    async stop(signal = 'SIGINT') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundledMain } from '../../support/bundled-main.js';
import { COMPILE_CACHE } from '../../support/compile-cache.js';

/** A child process that runs commands, so that the test's own work is not measured. */
export interface Helper {
  /** Runs a command. Resolves with its result. */
  ask<T>(command: string, argument?: unknown): Promise<T>;
  /** Stops the process. The process also ends when the test's process ends. */
  end(): Promise<void>;
}

interface Reply {
  number: number;
  result: unknown;
}

/** Starts a file of this folder, which sends `ready` and then answers commands. */
export async function startHelper(
  file: 'receiver.main.ts' | 'measured-worker.main.ts' | 'jira.main.ts',
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<Helper> {
  const path = join(import.meta.dirname, file);
  // The files that use the package start in half the time as a bundle.
  const child = fork(file === 'measured-worker.main.ts' ? await bundledMain(path) : path, {
    env: { PATH: process.env['PATH'] ?? '', ...COMPILE_CACHE, ...env },
    execArgv: ['--disable-warning=ExperimentalWarning', '--enable-source-maps', ...flags],
    serialization: 'advanced',
    // A pipe as input, because a worker stops when its input ends.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  child.stdout?.on('data', chunk => (output += String(chunk)));
  child.stderr?.on('data', chunk => (output += String(chunk)));
  child.stdin?.on('error', () => undefined);
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  let asked = 0;
  let isReady = (): void => undefined;
  child.on('message', message => {
    if (message === 'ready') return isReady();
    // The messages of the files of this folder.
    const { number, result } = message as Reply;
    waiting.get(number)?.resolve(result as never);
    waiting.delete(number);
    return undefined;
  });
  const ended = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    isReady = resolve;
    child.once('exit', () => {
      const error = new Error(`${file} has ended: ${output}`);
      reject(error);
      for (const one of waiting.values()) one.reject(error);
    });
  });
  return {
    ask: (command, argument) =>
      new Promise((resolve, reject) => {
        waiting.set(++asked, { resolve, reject });
        child.send({ number: asked, command, argument });
      }),
    end: async () => {
      waiting.clear();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

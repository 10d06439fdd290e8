import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A child process of the benchmark that runs commands: `ask(name, argument)` resolves with the result. */
export function startHelper(file, { env = {}, execArgv = [] } = {}) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    env: { ...process.env, ...env },
    execArgv,
    serialization: 'advanced',
  });
  const ended = once(child, 'exit');
  const asked = new Map();
  let last = 0;
  child.on('message', ({ number, result, error }) => {
    const { resolve, reject } = asked.get(number);
    asked.delete(number);
    if (error === undefined) resolve(result);
    else reject(new Error(error));
  });
  child.on('exit', code => {
    for (const { reject } of asked.values()) reject(new Error(`${file} ended with exit code ${code}`));
  });
  return {
    pid: child.pid,
    ask: (name, argument) =>
      new Promise((resolve, reject) => {
        asked.set(++last, { resolve, reject });
        child.send({ number: last, name, argument });
      }),
    end: async () => {
      child.disconnect();
      await ended;
    },
    ended,
  };
}

import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * Uses the worker itself as the environment of each test file, so that libraries are loaded once. When a file has
 * ended, its changes to the process are undone.
 */
export default class WorkerEnvironment {
  global = globalThis;
  #console = console;
  #exit = Object.getOwnPropertyDescriptor(process, 'exit');
  #env = { ...process.env };
  #folder = process.cwd();
  #listeners = new Map(process.eventNames().map(name => [name, process.rawListeners(name)]));

  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.#console;
    Object.defineProperty(process, 'exit', this.#exit);
    process.chdir(this.#folder);
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    for (const name of process.eventNames()) this.#removeAdded(name);
  }

  #removeAdded(name) {
    const before = this.#listeners.get(name) ?? [];
    for (const listener of process.rawListeners(name)) {
      if (!before.includes(listener)) process.removeListener(name, listener);
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}

import { availableParallelism } from 'node:os';

/** One Jest for every library; PostgreSQL is started once for the whole run by the global set-up. */
export default {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
  // Node loads all modules, and translates TypeScript on the way: see the runner.
  transform: {},
  testEnvironment: '<rootDir>/test/support/runner/environment.mjs',
  testRunner: '<rootDir>/test/support/runner/framework.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Nothing is measured by it: it only ends what hangs, also on a busy machine.
  testTimeout: 300_000,
  // One more than cores on a small machine: many files wait most of their time. Each has its share of the database.
  maxWorkers: Math.min(Math.max(availableParallelism(), 2) + 1, 8),
  // Modules of a test file stay in memory when it is done.
  workerIdleMemoryLimit: '1GB',
};

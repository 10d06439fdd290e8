import { availableParallelism } from 'node:os';

/** One Jest configuration for every library. The global setup starts PostgreSQL once for the whole run. */
export default {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
  // Node loads all modules and compiles TypeScript on the way: see the runner.
  transform: {},
  testEnvironment: '<rootDir>/test/support/runner/environment.mjs',
  testRunner: '<rootDir>/test/support/runner/framework.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // This limit only ends a hanging test, also on a busy machine. It measures nothing.
  testTimeout: 300_000,
  // One more worker than cores on a small machine, because many files mostly wait. Each worker has its share of the
  // database's connections.
  maxWorkers: Math.min(Math.max(availableParallelism(), 2) + 1, 8),
  // Modules of a test file stay in memory after it has run.
  workerIdleMemoryLimit: '1GB',
};

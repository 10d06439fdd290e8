import { availableParallelism } from 'node:os';

/** One Jest for every library; PostgreSQL is started once for the whole run by the global set-up. */
export default {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.data'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // The doors, as package.json has them under the condition of this repository.
    // Packages have such names of their own.
    '^#(?!platform$)(\\w+)$': '<rootDir>/libs/$1/index.ts',
    '^#(\\w+)/in-memory$': '<rootDir>/libs/$1/in-memory/index.ts',
    '^nest-llm-governance$': '<rootDir>/libs/governance/index.ts',
    '^nest-llm-governance/(openai|anthropic|ai|langchain)$': '<rootDir>/libs/doors/$1/index.ts',
    '^nest-llm-governance/(\\w+)$': '<rootDir>/libs/$1/index.ts',
  },
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  testTimeout: 120_000,
  // One more than cores on a small machine: many files wait most of their time. Each has its share of the database.
  maxWorkers: Math.min(Math.max(availableParallelism(), 2) + 1, 8),
  // ES modules of a test file stay in memory when it is done: after a hundred files the collector takes most of the time.
  workerIdleMemoryLimit: '1GB',
};

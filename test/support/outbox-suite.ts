import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { Replicas } from '../../libs/outbox/testing/replica.js';
import { createMigratedDatabase } from './migrated-database.js';
import type { TestDatabase } from './test-postgres.js';

/**
 * Creates the database of a suite, an organization, and the replicas of each test. Call this function in `describe`.
 */
export function outboxSuite() {
  let database: TestDatabase;
  const tests: TestDatabase = {
    get url() {
      return database.url;
    },
    asOwner: (sql, values) => database.asOwner(sql, values),
    drop: () => database.drop(),
  };
  const replicas = new Replicas(() => tests.url);
  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  afterEach(() => replicas.end());
  afterAll(() => database.drop());
  return { tests, replicas, orgId: randomUUID() };
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from './test-postgres.js';

describe('the PostgreSQL server of the tests', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  it('is version 15 or newer', async () => {
    const [row] = await database.asOwner<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    );
    expect(row?.version).toBeGreaterThanOrEqual(150000);
  });
});

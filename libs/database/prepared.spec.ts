import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import type { TestDatabase } from '../../test/support/test-postgres.js';
import { openOrm } from './orm.js';
import { OrgDatabase } from './org-database.js';
import { prepared } from './prepared.js';

const ADD = prepared('add', 'select $1::integer + $2::integer as sum');
const KNOWN = 'select name from pg_prepared_statements';

describe('a prepared statement', () => {
  let tests: TestDatabase;
  let database: OrgDatabase;

  beforeAll(async () => {
    tests = await createMigratedDatabase();
  });

  afterAll(() => tests.drop());

  beforeEach(async () => {
    await database?.close();
    database = new OrgDatabase(await openOrm({ url: tests.url, poolSize: 1 }, []));
  });

  afterAll(() => database?.close());

  const sum = async (one: number, other: number) => (await database.global<{ sum: number }>(ADD, [one, other]))[0]?.sum;

  it('is parsed once per connection, and answers for other values', async () => {
    expect([await sum(1, 2), await sum(3, 4)]).toEqual([3, 7]);
    expect(await database.global(KNOWN)).toEqual([{ name: 'add' }]);
  });

  it('tells of its errors as any other', async () => {
    await expect(sum(1, 2 ** 31)).rejects.toThrow('out of range');
    expect(await sum(1, 2)).toBe(3);
  });

  it('is made all the same where connections do not keep it, and is not prepared again then', async () => {
    expect(await sum(1, 2)).toBe(3);
    // As behind a pooler that gives the connection's next transaction to another one.
    await database.global('deallocate all');
    expect(await sum(3, 4)).toBe(7);
    await database.global('deallocate all');
    expect(await sum(5, 6)).toBe(11);
    expect(await database.global(KNOWN)).toEqual([]);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EntitySchema } from '@mikro-orm/postgresql';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import type { TestDatabase } from '../../test/support/test-postgres.js';
import { openOrm } from './orm.js';
import { OrgDatabase } from './org-database.js';
import { prepared } from './prepared.js';
import { sqlOf } from './sql-transaction.js';

const ADD = prepared('add', 'select $1::integer + $2::integer as sum');
const KNOWN = 'select name from pg_prepared_statements';

const Hold = new EntitySchema<{ orgId: string; queue: string; key: string }>({
  name: 'Hold',
  tableName: 'task_holds',
  properties: {
    orgId: { type: 'uuid', primary: true, fieldName: 'org_id' },
    queue: { type: 'string', primary: true },
    key: { type: 'string', primary: true },
  },
});

describe('a prepared statement', () => {
  let tests: TestDatabase;
  let database: OrgDatabase;

  beforeAll(async () => {
    tests = await createMigratedDatabase();
  });

  afterAll(() => tests.drop());

  beforeEach(async () => {
    await database?.close();
    database = new OrgDatabase(await openOrm({ url: tests.url, poolSize: 1 }, [Hold as never]));
  });

  afterAll(() => database?.close());

  const sum = async (one: number, other: number) => (await database.global<{ sum: number }>(ADD, [one, other]))[0]?.sum;

  it('is parsed once per connection, and works for other values', async () => {
    expect([await sum(1, 2), await sum(3, 4)]).toEqual([3, 7]);
    expect(await database.global(KNOWN)).toEqual([{ name: 'add' }]);
  });

  it('reports its errors like any other', async () => {
    await expect(sum(1, 2 ** 31)).rejects.toThrow('out of range');
    expect(await sum(1, 2)).toBe(3);
  });

  it('works if connections do not keep it, and is not prepared again then', async () => {
    expect(await sum(1, 2)).toBe(3);
    // `deallocate all` also stands for a pooler that gives the next transaction another connection.
    await database.global('deallocate all');
    expect(await sum(3, 4)).toBe(7);
    await database.global('deallocate all');
    expect(await sum(5, 6)).toBe(11);
    expect(await database.global(KNOWN)).toEqual([]);
  });

  it('stays prepared in a pool if a connection of another pool has lost it', async () => {
    const other = new OrgDatabase(await openOrm({ url: tests.url, poolSize: 1 }, []));
    const otherSum = () => other.global<{ sum: number }>(ADD, [1, 2]);
    await otherSum();
    await other.global('deallocate all');
    expect(await otherSum()).toEqual([{ sum: 3 }]);
    await otherSum();
    expect(await other.global(KNOWN)).toEqual([]);
    await other.close();
    expect(await sum(1, 2)).toBe(3);
    expect(await database.global(KNOWN)).toEqual([{ name: 'add' }]);
  });

  it('is executed unprepared if its result type has changed, for example by a migration', async () => {
    await tests.asOwner('create table governance.probe (one integer); grant select on governance.probe to public');
    const probe = prepared('probe', 'select * from governance.probe where one = $1');
    expect(await database.global(probe, [1])).toEqual([]);
    await tests.asOwner(
      'alter table governance.probe add column other integer; insert into governance.probe values (1, 2)',
    );
    expect(await database.global(probe, [1])).toEqual([{ one: 1, other: 2 }]);
  });

  it('repeats the whole transaction once, with one effect, if the connection has lost the statement', async () => {
    const orgId = randomUUID();
    let tries = 0;
    const committed: number[] = [];
    const hold = () =>
      database.transaction(orgId, async em => {
        const attempt = ++tries;
        database.afterCommit(em, () => committed.push(attempt));
        await sqlOf(em).query(`insert into governance.task_holds values ($1, 'queue', $2)`, [orgId, randomUUID()]);
        if (attempt === 1) await sqlOf(em).query('deallocate all');
        return (await sqlOf(em).query<{ sum: number }>(ADD, [1, 2]))[0]?.sum;
      });
    await sum(1, 2);
    expect(await hold()).toBe(3);
    expect([tries, committed]).toEqual([2, [2]]);
    const [held] = await tests.asOwner('select count(*)::int as holds from governance.task_holds where org_id = $1', [
      orgId,
    ]);
    expect(held).toEqual({ holds: 1 });
    expect(await database.global(KNOWN)).toEqual([]);
  });

  it('is repeated in a new snapshot if connections do not keep it', async () => {
    await sum(1, 2);
    await database.global('deallocate all');
    const read = () => database.snapshot(randomUUID(), em => sqlOf(em).query<{ sum: number }>(ADD, [3, 4]));
    expect(await read()).toEqual([{ sum: 7 }]);
  });

  it('is not repeated if entities were flushed before it: the caller gets the error', async () => {
    const hold = { orgId: randomUUID(), queue: 'queue', key: randomUUID() };
    let tries = 0;
    await sum(1, 2);
    const stored = database.transaction(hold.orgId, async em => {
      tries++;
      await em.persist(em.create(Hold, hold)).flush();
      await sqlOf(em).query('deallocate all');
      await sqlOf(em).query(ADD, [1, 2]);
    });
    await expect(stored).rejects.toThrow('prepared statement');
    expect(tries).toBe(1);
  });
});

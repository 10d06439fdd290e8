import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CursorSealer, newId, parseKeyring } from '#core';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import { openOrm } from '../orm.js';
import { OrgDatabase } from '../org-database.js';
import { sqlOf } from '../sql-transaction.js';
import { listOfTable, newestFirst, type CustomList, type TableList } from './keyset-list.js';
import { KeysetLists } from './keyset-lists.js';
import { equal, sql } from './sql.js';

interface Mark {
  topic: string;
  version: string;
}

const marksOf = (version?: string): TableList<Mark> => ({
  name: 'marks',
  filters: { version },
  table: 'change_marks',
  as: 'm',
  where: equal({ 'm.version': version }),
  rows: sql`m.topic, m.version`,
  order: { columns: ['m.version', 'm.topic'], direction: 'asc', position: mark => [mark.version, mark.topic] },
});

describe('a list in pages', () => {
  let server: TestDatabase;
  let database: OrgDatabase;
  let lists: KeysetLists;
  const clock = new ManualClock();

  beforeAll(async () => {
    server = await createMigratedDatabase();
    database = new OrgDatabase(await openOrm({ url: server.url }, []));
    const keys = parseKeyring(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
    lists = new KeysetLists(database, new CursorSealer(keys, clock), clock);
  });

  afterAll(async () => {
    await database?.close();
    await server?.drop();
  });

  async function add(orgId: string, ...marks: [topic: string, version: number][]): Promise<void> {
    for (const [topic, version] of marks) {
      await database.transaction(orgId, em =>
        sqlOf(em).query(`insert into governance.change_marks (org_id, topic, version) values ($1, $2, $3)`, [
          orgId,
          topic,
          version,
        ]),
      );
    }
  }

  const read = (orgId: string, list: TableList<Mark> | CustomList<Mark>, limit: number, cursor?: string) =>
    lists.page(orgId, { limit, cursor }, list, ({ topic }) => topic);

  it('shows each row once, in the order of its columns, while rows are added', async () => {
    const orgId = newId(clock.now());
    await add(orgId, ['c', 1], ['a', 2], ['b', 1], ['d', 3]);
    await add(newId(clock.now()), ['x', 1]);
    const first = await read(orgId, marksOf(), 2);
    expect(first).toMatchObject({ items: ['b', 'c'], has_more: true, total_count: 4 });
    await add(orgId, ['a0', 1]);
    const second = await read(orgId, marksOf(), 2, String(first.next_cursor));
    expect(second).toEqual({ items: ['a', 'd'], has_more: false, next_cursor: null, total_count: 4 });
  });

  it('counts only the rows that match its conditions', async () => {
    const orgId = newId(clock.now());
    await add(orgId, ['a', 1], ['b', 1], ['c', 1], ['d', 2]);
    expect(await read(orgId, marksOf('1'), 2)).toMatchObject({ items: ['a', 'b'], total_count: 3 });
    expect(await read(orgId, marksOf('2'), 2)).toMatchObject({ items: ['d'], total_count: 1 });
    expect(await read(orgId, marksOf('3'), 2)).toMatchObject({ items: [], total_count: 0, next_cursor: null });
  });

  it('refuses the cursor of a list of another name or with other filters', async () => {
    const orgId = newId(clock.now());
    await add(orgId, ['a', 1], ['b', 1]);
    const cursor = String((await read(orgId, marksOf('1'), 1)).next_cursor);
    expect((await read(orgId, marksOf('1'), 1, cursor)).items).toEqual(['b']);
    await expect(read(orgId, marksOf(), 1, cursor)).rejects.toThrow('other filters');
    await expect(read(orgId, { ...marksOf('1'), name: 'others' }, 1, cursor)).rejects.toThrow('other filters');
  });

  it('creates the same SQL text for the same filters, without values in it', () => {
    const textOf = (version: string) => listOfTable(randomUUID(), marksOf(version)).counted.sql;
    expect(textOf(`1' or true --`)).toBe(textOf('2'));
    expect(textOf('2')).toContain('where m.org_id = $1 and m.version = $2');
    expect(sql`a ${1} b ${sql`c ${2} d`} e ${3}`.statement).toEqual({
      sql: 'a $1 b c $2 d e $3',
      parameters: [1, 2, 3],
    });
  });

  it('keeps a count as long as its version stays, and takes it from the first page if that is also the last one', async () => {
    const orgId = newId(clock.now());
    let version = 1;
    let rows = 5;
    const list = (): CustomList<{ id: string }> => ({
      name: 'kept',
      keepCount: () => Promise.resolve(version),
      counted: { sql: 'select 1 from generate_series(1, $1::int)', parameters: [rows] },
      position: newestFirst('id').position,
      read: (_, { limit }) => Promise.resolve([{ id: '1' }, { id: '2' }, { id: '3' }].slice(0, limit)),
    });
    const totalOf = async (limit: number) => (await lists.page(orgId, { limit }, list(), row => row)).total_count;
    expect(await totalOf(3)).toBe(3);
    expect(await totalOf(2)).toBe(5);
    rows = 6;
    expect(await totalOf(2)).toBe(5);
    version = 2;
    expect(await totalOf(2)).toBe(6);
  });
});

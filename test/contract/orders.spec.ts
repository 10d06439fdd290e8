import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { create, createPolicy, createUser, decide, operationsOf, walk, withoutLastUse } from './contract.support.js';

const ROWS = 12;

/** Columns by which lists are sorted. Pairs of rows differ by less than a millisecond. Some rows have no time. */
const TIMES = [
  ['users', 'last_active_at', true],
  ['access_tokens', 'expires_at', true],
  ['incidents', 'last_seen_at', false],
] as const;

describe('the orders of a list', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
    await createPolicy(app.call, { name: 'Watch', action: 'alert', model: 'watched' });
    for (let at = 0; at < ROWS; at++) {
      const { id } = await createUser(app.call, `user-${at}`);
      await create(app.call, '/v1/tokens', { name: `Token ${at}`, role: 'auditor' });
      await decide(app.call, id, 'watched');
    }
    for (const [table, column, hasNone] of TIMES) {
      await app.database.asOwner(
        `update governance.${table} t set ${column} = case when $2 and n % 4 = 0 then null else
           timestamptz '2027-01-01' + (n / 2) * interval '1 hour' + n * interval '10 microseconds' end
         from (select id, row_number() over (order by id) * 5 % 13 as n from governance.${table} where org_id = $1) r
         where t.org_id = $1 and t.id = r.id`,
        [app.orgId, hasNone],
      );
    }
  });

  afterAll(() => app?.close());

  /** Each order of each list, and the order of the reverse, if it is one. */
  const orders = (): [path: string, sort: string, reverse: string | undefined][] =>
    operationsOf(app)
      .filter(({ method, template, query }) => method === 'GET' && query.has('limit') && !template.includes('{'))
      .flatMap(({ path, query }) => {
        const values = query.get('sort')?.enum ?? [];
        const reverseOf = (sort: string) => values.find(other => other === `-${sort}`);
        return values.map((sort): [string, string, string | undefined] => [path, sort, reverseOf(sort)]);
      });

  it('has each row once over all pages, and is reversed by a minus sign', async () => {
    expect(orders()).toEqual(
      expect.arrayContaining([
        ['/v1/users', 'last_active_at', '-last_active_at'],
        ['/v1/incidents', 'last_seen_at', '-last_seen_at'],
        ['/v1/tokens', 'expires_at', '-expires_at'],
      ]),
    );
    for (const [path, sort, reverse] of orders()) {
      const read = async (order: string, limit: number) =>
        withoutLastUse((await walk(app.call, `${path}?sort=${order}`, limit)).flat());
      const whole = await read(sort, 100);
      expect(whole.length).toBeGreaterThanOrEqual(ROWS);
      for (const limit of [1, 5]) {
        expect({ path, sort, rows: await read(sort, limit) }).toEqual({ path, sort, rows: whole });
      }
      if (reverse !== undefined) {
        const reversed = await read(reverse, 5);
        expect({ path, sort, rows: reversed.toReversed() }).toEqual({ path, sort, rows: whole });
      }
    }
  });

  it.each([
    ['/v1/users', 'name', ''],
    // Users without activity are the earliest, tokens without an expiry the last.
    ['/v1/users', 'last_active_at', ''],
    ['/v1/incidents', 'last_seen_at', ''],
    ['/v1/tokens', 'expires_at', '9999'],
  ])('of %s by %s ascends', async (path, sort, none) => {
    const rows = (await walk(app.call, `${path}?sort=${sort}`, 5)).flat();
    const values = rows.map(row => String(row[sort] ?? none));
    expect(new Set(values).size).toBeGreaterThan(3);
    expect(values).toEqual(values.toSorted());
  });

  it('refuses the cursor of another order', async () => {
    const { body } = await app.call('GET', '/v1/users?limit=2&sort=-name');
    const cursor = encodeURIComponent(body.next_cursor);
    expect((await app.call('GET', `/v1/users?limit=2&sort=name&cursor=${cursor}`)).status).toBe(400);
    expect((await app.call('GET', `/v1/users?limit=2&sort=-name&cursor=${cursor}`)).status).toBe(200);
  });
});

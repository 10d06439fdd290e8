import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { fillEveryTable } from '../support/fill-every-table.js';
import { LOOPBACK_ALLOWED } from '../support/webhooks.js';

/** Tables without data of organizations: migrations, counters under hashed keys, and retention settings. */
const WITHOUT_ORGANIZATION = new Set(['schema_migrations', 'rate_limits', 'retention_floors', 'key_checks']);

describe('row-level security', () => {
  let app: TestApp;
  let theirs: string;
  let client: pg.Client;
  let tables: { name: string; column: string }[];

  beforeAll(async () => {
    app = await startTestApp(LOOPBACK_ALLOWED);
    const other = await app.addOrganization('Theirs');
    theirs = other.orgId;
    await fillEveryTable(app, app.orgId, app.call);
    await fillEveryTable(app, theirs, other.call);
    const rows = await app.database.asOwner<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'governance'::regnamespace and relkind in ('r', 'p')
         and not relispartition order by relname`,
    );
    tables = rows
      .filter(row => !WITHOUT_ORGANIZATION.has(row.name))
      .map(row => ({ name: row.name, column: row.name === 'organizations' ? 'id' : 'org_id' }));
    const url = new URL(app.database.url);
    url.searchParams.set('options', '-c role=governance_app');
    client = new pg.Client({ connectionString: url.href });
    await client.connect();
  });

  afterAll(async () => {
    await client?.end();
    await app?.close();
  });

  // The policies of a table do not apply if a query names one of the table's partitions directly.
  it('denies every statement on a partition of a table', async () => {
    const partitions = await app.database.asOwner<{ name: string; open: boolean }>(
      `select relname as name,
         has_table_privilege('governance_app', oid, 'select, insert, update, delete, truncate, references, trigger')
           or has_any_column_privilege('governance_app', oid, 'select, insert, update, references') as open
       from pg_class where relnamespace = 'governance'::regnamespace and relispartition and relkind in ('r', 'p')`,
    );
    // The default partitions, and the partitions of single days.
    expect(partitions.filter(({ name }) => name.endsWith('_default')).length).toBeGreaterThanOrEqual(3);
    expect(partitions.filter(({ name }) => /_\d{8}$/.test(name)).length).toBeGreaterThanOrEqual(3);
    expect(partitions.filter(({ open }) => open)).toEqual([]);
    for (const { name } of partitions) {
      const read = asOrganization(app.orgId, `select 1 from governance.${name}`);
      await expect(read.then(() => name)).rejects.toMatchObject({ code: '42501' });
    }
  });

  async function asOrganization(orgId: string, sql: string, parameters: unknown[] = []): Promise<pg.QueryResult> {
    await client.query('begin');
    try {
      await client.query(`select set_config('governance.org_id', $1, true)`, [orgId]);
      return await client.query(sql, parameters);
    } finally {
      await client.query('rollback');
    }
  }

  it('is tested with rows of the other organization in every table', async () => {
    for (const { name, column } of tables) {
      const [row] = await app.database.asOwner<{ count: string }>(
        `select count(*) from governance.${name} where ${column} = $1`,
        [theirs],
      );
      expect({ name, filled: Number(row?.count) > 0 }).toEqual({ name, filled: true });
    }
  });

  it("applies to the app's role, which is no superuser, owns nothing and cannot bypass policies", async () => {
    const { rows } = await client.query<{ super: boolean; bypass: boolean; owned: string }>(
      `select rolsuper as super, rolbypassrls as bypass,
              (select count(*) from pg_class where relowner = r.oid) as owned
       from pg_roles r where rolname = current_user`,
    );
    expect(rows).toEqual([{ super: false, bypass: false, owned: '0' }]);
  });

  it('shows no row of another organization in any table', async () => {
    for (const { name, column } of tables) {
      const foreign = await asOrganization(app.orgId, `select 1 from governance.${name} where ${column} = $1`, [
        theirs,
      ]);
      const any = await asOrganization(app.orgId, `select 1 from governance.${name} where ${column} <> $1`, [
        app.orgId,
      ]);
      expect({ name, foreign: foreign.rowCount, any: any.rowCount }).toEqual({ name, foreign: 0, any: 0 });
    }
  });

  it("shows the organization's own rows in every table", async () => {
    for (const { name } of tables) {
      const own = await asOrganization(app.orgId, `select 1 from governance.${name} limit 1`);
      expect({ name, own: own.rowCount }).toEqual({ name, own: 1 });
    }
  });

  it('shows nothing if no organization is set', async () => {
    for (const { name } of tables) {
      const seen = await client.query(`select 1 from governance.${name}`);
      expect({ name, seen: seen.rowCount }).toEqual({ name, seen: 0 });
    }
  });

  it("prevents changes and deletes of another organization's rows in every table", async () => {
    for (const { name, column } of tables) {
      for (const sql of [
        `update governance.${name} set ${column} = ${column} where ${column} = $1`,
        `delete from governance.${name} where ${column} = $1`,
      ]) {
        const outcome = await asOrganization(app.orgId, sql, [theirs]).then(
          result => result.rowCount,
          (error: { code?: string }) => error.code,
        );
        // The number of rows that a statement reads or changes; 0 if the role may not execute it.
        expect({ sql, outcome: outcome === 0 || outcome === '42501' }).toEqual({ sql, outcome: true });
      }
    }
  });

  it('prevents inserts for another organization in every table', async () => {
    for (const { name, column } of tables) {
      const copied = (await columnsOf(name)).filter(other => other !== column);
      const copy = asOrganization(
        app.orgId,
        `insert into governance.${name} (${[column, ...copied].join(', ')})
         select ${['$1::uuid', ...copied].join(', ')} from governance.${name} limit 1`,
        [theirs],
      );
      await expect(copy.then(() => name)).rejects.toMatchObject({ code: '42501' });
    }
  });

  /** The columns that can be written, without those that PostgreSQL computes. */
  async function columnsOf(table: string): Promise<string[]> {
    const rows = await app.database.asOwner<{ name: string }>(
      `select attname as name from pg_attribute
       where attrelid = ('governance.' || $1)::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    );
    return rows.map(row => row.name);
  }

  it('prevents moves of own rows to another organization', async () => {
    for (const { name, column } of tables) {
      const move = asOrganization(app.orgId, `update governance.${name} set ${column} = $1`, [theirs]);
      await expect(move.then(() => name)).rejects.toMatchObject({ code: '42501' });
    }
  });
});

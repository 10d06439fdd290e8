import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import type { TestDatabase } from '../../test/support/test-postgres.js';
import { startTestApp } from '../../test/support/test-app.js';
import { runMigrations } from './prepare-schema.js';
import { higherFloors } from './retention-floors.js';

const FOREVER = 1_000_000;
const DEFAULTS = { events: 30, decisions: 90, usage: 400, audit_log: FOREVER, incidents: FOREVER, tickets: FOREVER };

describe('the minimum retention of records', () => {
  let tests: TestDatabase;

  beforeAll(async () => {
    tests = await createMigratedDatabase();
  });

  afterAll(() => tests?.drop());

  async function floors(): Promise<Record<string, number>> {
    const rows = await tests.asOwner<{ name: string; keep_days: number }>(
      'select name, keep_days from governance.retention_floors',
    );
    return Object.fromEntries(rows.map(({ name, keep_days }) => [name, keep_days]));
  }

  it('has defaults', async () => {
    expect(await floors()).toEqual(DEFAULTS);
  });

  it('is that of the options if the app runs the migrations, and the defaults again if they have none', async () => {
    const short = await startTestApp({
      testDatabase: tests,
      decisions: { retentionDays: 3 },
      outbox: { retentionDays: 60 },
      usage: { retentionDays: 97 },
      auditRetentionDays: 365,
      incidents: { retentionDays: 100 },
      itsm: { retentionDays: 50 },
    });
    const given = { events: 60, decisions: 3, usage: 97, audit_log: 365, incidents: 100, tickets: 50 };
    expect(await floors()).toEqual(given);
    await short.close();
    const plain = await startTestApp({ testDatabase: tests });
    expect(await floors()).toEqual(DEFAULTS);
    await plain.close();
  });

  it('is written by the command that migrates if it gets values, and otherwise not changed', async () => {
    await runMigrations({ url: tests.url }, { decisions: 7 });
    expect(await floors()).toEqual({ ...DEFAULTS, decisions: 7 });
    await runMigrations({ url: tests.url });
    expect(await floors()).toEqual({ ...DEFAULTS, decisions: 7 });
    await runMigrations({ url: tests.url }, {});
    expect(await floors()).toEqual(DEFAULTS);
  });

  it('is reported with the remedy if an app that runs no migrations asks for fewer days', async () => {
    const client = new pg.Client({ connectionString: tests.url });
    await client.connect();
    try {
      await client.query('set role governance_app');
      expect(await higherFloors(client, { decisions: 90, events: 60 })).toEqual([]);
      expect(await higherFloors(client, { decisions: 3 })).toEqual([
        expect.stringMatching(/keeps decisions for 90 days, not for 3 days: .+ Run `npx nest-llm-governance migrate`/),
      ]);
      expect(await higherFloors(client, { audit_log: 365 })).toEqual([
        expect.stringMatching(/keeps audit log forever, not for 365 days/),
      ]);
    } finally {
      await client.end();
    }
  });

  it('cannot be changed by the role of the app', async () => {
    const client = new pg.Client({ connectionString: tests.url });
    await client.connect();
    try {
      await client.query('set role governance_app');
      for (const sql of [
        'update governance.retention_floors set keep_days = 1',
        'delete from governance.retention_floors',
        `insert into governance.retention_floors values ('x', 1, 1)`,
        'truncate governance.retention_floors',
      ]) {
        await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
      }
    } finally {
      await client.end();
    }
  });
});

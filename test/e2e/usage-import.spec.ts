import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageImporter, type ImportRequest } from '#governance';
import { runCommand } from '../support/bundled-app.js';
import { newDataDir, startStandalone } from '../support/standalone-process.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const FIELDS = {
  user_email: '{user}@history.example',
  provider: 'openai',
  model: 'gpt-4o',
  occurred_at: '{time}',
  input_tokens: '{in}',
  output_tokens: '{out}',
};

describe('the import of usage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'governance-import-'));
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function file(name: string, rows: string[]): string {
    const path = join(folder, name);
    const table = `user,time,in,out\n${rows.join('\n')}\n`;
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(table) : table);
    return path;
  }

  function rows(count: number): string[] {
    return Array.from(
      { length: count },
      (_, n) => `u${n % 7},2020-02-${String((n % 28) + 1).padStart(2, '0')}T10:00:00Z,${n},1`,
    );
  }

  function request(path: string, orgId: string, change: Partial<ImportRequest> = {}): ImportRequest {
    const base = { fields: FIELDS, timeFormat: 'iso' as const, createUsers: true, shiftToNow: false };
    return { path, orgId, ...base, checkpoints: join(folder, 'checkpoints'), ...change };
  }

  it('continues an interrupted import, and counts the whole file once', async () => {
    const { orgId, call } = await app.addOrganization();
    const path = file('long.csv.gz', rows(3_500));
    const stopped = app.app.get(UsageImporter).import(
      request(path, orgId, {
        onProgress({ rows: done }) {
          if (done >= 2_000) throw new Error('the power went out');
        },
      }),
    );
    await expect(stopped).rejects.toThrow('the power went out');
    const seen: number[] = [];
    const result = await app.app
      .get(UsageImporter)
      .import(request(path, orgId, { onProgress: progress => void seen.push(progress.rows) }));
    expect(seen[0]).toBe(3_000);
    expect(result).toEqual({ rows: 3_500, accepted: 3_500, duplicates: 0, rejected: 0, empty: 0 });
    const { body } = await call('GET', '/v1/usage?period=monthly&limit=100');
    expect(body.items.reduce((sum: number, item: { total_requests: number }) => sum + item.total_requests, 0)).toBe(
      3_500,
    );
  });

  it('moves the last row to now if requested, and by the same amount when the file is imported again', async () => {
    const { orgId, call } = await app.addOrganization();
    const path = file('old.csv', ['u1,2020-02-01T10:00:00Z,5,1', 'u1,2020-02-03T10:00:00Z,7,1']);
    await app.app.get(UsageImporter).import(request(path, orgId, { shiftToNow: true }));
    app.clock.advance(60 * 60 * 1000);
    const again = await app.app.get(UsageImporter).import(request(path, orgId, { shiftToNow: true }));
    expect(again).toMatchObject({ accepted: 0, duplicates: 2, rejected: 0 });
    const { body } = await call('GET', '/v1/usage');
    expect(body.items.map((item: { period: string }) => item.period)).toEqual(['2026-11-20', '2026-11-18']);
  });

  it('moves by the same amount if it was interrupted before the first checkpoint', async () => {
    const { orgId } = await app.addOrganization();
    const path = file('early.csv', ['u1,2020-02-01T10:00:00Z,5,1', 'u1,2020-02-03T10:00:00Z,many,1']);
    // A refusal is reported after the batch has been stored and before its checkpoint.
    const onRefusal = (): void => {
      throw new Error('the power went out');
    };
    const stopped = app.app.get(UsageImporter).import(request(path, orgId, { shiftToNow: true, onRefusal }));
    await expect(stopped).rejects.toThrow('the power went out');
    app.clock.advance(60 * 60 * 1000);
    const again = await app.app.get(UsageImporter).import(request(path, orgId, { shiftToNow: true }));
    expect(again).toEqual({ rows: 2, accepted: 0, duplicates: 1, rejected: 1, empty: 0 });
  });

  it('refuses only rows with an invalid user, and treats empty user cells as missing', async () => {
    const { orgId, call } = await app.addOrganization();
    const path = join(folder, 'people.csv');
    const long = 'x'.repeat(256);
    const people = ['ada@x.example,Ada,Sales', 'no-address,Bob,Sales', 'eve@x.example,,', `f@x.example,${long},`, ',,'];
    const table = [...people, 'ADA@x.example,,Legal'].map(person => `${person},2020-02-01T10:00:00Z,5,1`);
    writeFileSync(path, `email,name,dept,time,in,out\n${table.join('\n')}\n`);
    const refusals: string[] = [];
    const onRefusal = (row: number, field: string): void => void refusals.push(`${row} ${field}`);
    const fields = { ...FIELDS, user_email: '{email}', user_name: '{name}', user_department: '{dept}' };
    const result = await app.app.get(UsageImporter).import(request(path, orgId, { fields, onRefusal }));
    expect(result).toEqual({ rows: 6, accepted: 3, duplicates: 0, rejected: 3, empty: 0 });
    expect(refusals).toEqual(['2 user_email', '4 user_name', '5 user_email']);
    const { items } = (await call('GET', '/v1/users')).body;
    expect(items).toHaveLength(2);
    expect(items).toContainEqual(expect.objectContaining({ email: 'eve@x.example', name: 'eve', department: null }));
  });

  it('does not start to create users if their email address is not mapped', async () => {
    const { orgId } = await app.addOrganization();
    const { user_email: _, ...fields } = FIELDS;
    const path = file('ids.csv', ['0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33,2020-02-01T10:00:00Z,5,1']);
    const refused = app.app
      .get(UsageImporter)
      .import(request(path, orgId, { fields: { ...fields, user_id: '{user}' } }));
    await expect(refused).rejects.toThrow(/e-mail address; say --field user_email/);
  });

  it('counts and names invalid rows, and stores the others', async () => {
    const { orgId } = await app.addOrganization();
    const path = file('faulty.csv', ['u1,2020-02-01T10:00:00Z,5,1', 'u1,noon,5,1', 'u1,2020-02-01T10:00:00Z,many,1']);
    const refusals: string[] = [];
    const onRefusal = (row: number, field: string): void => void refusals.push(`${row} ${field}`);
    const result = await app.app.get(UsageImporter).import(request(path, orgId, { onRefusal }));
    expect(result).toEqual({ rows: 3, accepted: 1, duplicates: 0, rejected: 2, empty: 0 });
    expect(refusals).toEqual(['2 occurred_at', '3 input_tokens']);
  });

  it('names unknown users, unless it may create them', async () => {
    const { orgId } = await app.addOrganization();
    const path = file('strangers.csv', ['u9,2020-02-01T10:00:00Z,5,1']);
    const refused = await app.app.get(UsageImporter).import(request(path, orgId, { createUsers: false }));
    expect(refused).toMatchObject({ accepted: 0, rejected: 1 });
  });

  it('runs from the command line while the app runs, and ends with its counts', async () => {
    const dataDir = newDataDir();
    const token = 'c'.repeat(40);
    const server = await startStandalone({ GOVERNANCE_DATA_DIR: dataDir, GOVERNANCE_ADMIN_TOKEN: token });
    try {
      const fields = Object.entries(FIELDS).flatMap(([field, template]) => ['--field', `${field}=${template}`]);
      const args = ['import', 'usage', file('cli.csv', rows(20)), '--org', server.orgId, '--create-users', ...fields];
      const env = { GOVERNANCE_DATA_DIR: dataDir };
      const first = await runCommand([...args, '--json'], env);
      expect(first).toMatchObject({ code: 0, stderr: '\n' });
      expect(JSON.parse(first.stdout)).toEqual({ rows: 20, accepted: 20, duplicates: 0, rejected: 0, empty: 0 });
      const second = await runCommand(args, env);
      expect(second.stdout).toContain('20 rows: 0 accepted, 20 duplicates, 0 rejected');
      const answer = await fetch(`${server.url}/v1/usage?period=monthly`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await answer.json()).toMatchObject({ total_count: 7 });
      const wrong = await runCommand([...args, '--field', 'colour=red'], env);
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('colour is not a field; there are: id') });
    } finally {
      await server.end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OrgDatabase } from '#database';
import { FocusExport } from '#usage';
import { ScheduledFocusExport } from '../../libs/usage/focus/scheduled-focus-export.js';
import { until } from '../faults/processes/chance.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { createUser, report, usageEvent } from './usage.support.js';

describe('the scheduled FOCUS export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'focus-export-'));
  const options = { usage: { focusExportDir: folder }, outbox: { workers: false } };
  let app: TestApp;
  let other: TestApp;
  /** Only re-rates usage, and exports nothing. */
  let worker: TestApp;
  let user: string;

  beforeAll(async () => {
    app = await startTestApp(options);
    other = await startTestApp({ ...options, testDatabase: app.database, orgId: app.orgId, time: app.clock });
    worker = await startTestApp({ testDatabase: app.database, orgId: app.orgId, time: app.clock });
    user = await createUser(app.call, 'ada');
  });

  afterAll(async () => {
    await worker?.close();
    await other?.close();
    await app?.close();
    rmSync(folder, { recursive: true });
  });

  const exporter = (of = app): ScheduledFocusExport => of.app.get(ScheduledFocusExport, { strict: false });
  const use = (day: string, cost: string) =>
    report(app.call, usageEvent({ user_id: user, occurred_at: `${day}T10:00:00Z`, cost_usd: cost }));
  const own = (): string => join(folder, app.orgId);
  const fileOf = (day: string): string => join(own(), `focus-${day}.csv`);
  const answerOf = async (day: string): Promise<string> =>
    (await app.call('GET', `/v1/usage/focus?start_date=${day}&end_date=${day}`)).text;

  it('writes each finished day once, on one of two replicas, with the content of the API', async () => {
    await use('2026-11-17', '1.25');
    await use('2026-11-18', '2');
    await use('2026-11-20', '4');
    const csv = jest.spyOn(FocusExport.prototype, 'csv');
    await Promise.all([exporter().run(), exporter(other).run()]);
    await Promise.all([exporter().run(), exporter(other).run()]);
    expect(csv).toHaveBeenCalledTimes(2);
    csv.mockRestore();
    // Today is the twentieth.
    expect(readdirSync(own()).toSorted()).toEqual(['focus-2026-11-17.csv', 'focus-2026-11-18.csv']);
    for (const day of ['2026-11-17', '2026-11-18']) expect(readFileSync(fileOf(day), 'utf8')).toBe(await answerOf(day));
  });

  it('writes a day again if late usage or a re-rating changes it, or its file is missing', async () => {
    await exporter().run();
    await use('2026-11-17', '0.5');
    await report(
      app.call,
      usageEvent({ user_id: user, provider: 'acme', model: 'm', occurred_at: '2026-11-18T10:00:00Z' }),
    );
    expect(await exporter().run()).toBe(2);
    expect(readFileSync(fileOf('2026-11-17'), 'utf8')).toBe(await answerOf('2026-11-17'));
    const price = { provider: 'acme', model: 'm', input_per_million_usd: 10, output_per_million_usd: 10 };
    await app.call('PUT', '/v1/prices', price);
    const period = { start_date: '2026-11-17', end_date: '2026-11-18' };
    const { body } = await app.call('POST', '/v1/prices/reratings', period);
    await until('the re-rating is done', 30_000, async () => {
      const { status } = (await app.call('GET', `/v1/prices/reratings/${body.id}`)).body;
      return status === 'done';
    });
    expect(await exporter().run()).toBe(1);
    expect(readFileSync(fileOf('2026-11-18'), 'utf8')).toBe(await answerOf('2026-11-18'));
    unlinkSync(fileOf('2026-11-17'));
    expect(await exporter().run()).toBe(1);
    expect(existsSync(fileOf('2026-11-17'))).toBe(true);
    expect(await exporter().run()).toBe(0);
  });

  it('writes a day again if a replica ended before it had recorded the file', async () => {
    await exporter().run();
    await use('2026-11-18', '0.125');
    writeFileSync(`${fileOf('2026-11-18')}.partial`, 'half');
    const before = readFileSync(fileOf('2026-11-18'), 'utf8');
    const csv = jest.spyOn(FocusExport.prototype, 'csv').mockImplementationOnce(async function* () {
      yield 'half of a file';
      throw new Error('killed');
    });
    await expect(exporter().run()).rejects.toThrow('killed');
    csv.mockRestore();
    expect(readFileSync(fileOf('2026-11-18'), 'utf8')).toBe(before);
    expect(await exporter(other).run()).toBe(1);
    expect(readFileSync(fileOf('2026-11-18'), 'utf8')).toBe(await answerOf('2026-11-18'));
    expect(readdirSync(own()).filter(name => name.endsWith('.partial'))).toEqual([]);
  });

  it('writes nothing if no folder is set', async () => {
    const silent = await startTestApp({ outbox: { workers: false } });
    const asked = jest.spyOn(silent.app.get(OrgDatabase), 'global');
    expect(await exporter(silent).run()).toBe(0);
    expect(asked).not.toHaveBeenCalled();
    await silent.close();
  });
});

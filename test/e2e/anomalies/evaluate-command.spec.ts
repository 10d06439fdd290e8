import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../support/bundled-app.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'anomalies-'));
});
afterAll(() => rm(folder, { recursive: true }));

const DAY = 86_400_000;

/** Forty days of a user who sends 30 requests in one hour of the last day. */
const PEOPLE = [
  'person,date,hour,count',
  ...Array.from({ length: 40 }, (_, day) => {
    const date = new Date(day * DAY).toISOString().slice(0, 10);
    return day === 39 ? [`ada,${date},9,30`] : [`ada,${date},9,${1 + (day % 3)}`, `ada,${date},${10 + (day % 4)},2`];
  }).flat(),
].join('\n');

const SERIES = [
  'file,timestamp,value',
  ...Array.from(
    { length: 200 },
    (_, hour) => `a.csv,${new Date(hour * 3_600_000).toISOString()},${hour === 190 ? 90 : 7}`,
  ),
].join('\n');

async function evaluate(name: string, content: string | Buffer, ...flags: string[]) {
  const path = join(folder, name);
  await writeFile(path, content);
  // No database is reachable: the command must not need one.
  return runCommand(['anomalies', 'evaluate', path, ...flags], {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
}

describe('the command anomalies evaluate', () => {
  it('prints one CSV line per anomaly of users without a database', async () => {
    const { code, stdout } = await evaluate('people.csv', PEOPLE);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^person,date,rule,observed,expected_low,expected_high\nada,1970-02-09,busiest,30,0,[\d.]+\n$/,
    );
  });

  it('prints one CSV line for each line of a compressed file of series', async () => {
    const { code, stdout } = await evaluate('series.csv.gz', gzipSync(SERIES));
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('file,timestamp,score,alarm');
    expect(lines).toHaveLength(201);
    expect(lines.filter(line => line.endsWith(',1'))).toEqual([
      expect.stringContaining('a.csv,1970-01-08T22:00:00.000Z,'),
    ]);
  });

  it('prints one JSON object with the rules in words if --json is given', async () => {
    const { stdout } = await evaluate('people.csv', PEOPLE, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'people',
      verdicts: [{ person: 'ada', rule: 'busiest', words: expect.stringContaining('busiest hour') }],
    });
  });

  it('exits with 1 and names the line if a line cannot be read', async () => {
    const { code, stderr } = await evaluate('bad.csv', `${PEOPLE}\nada,1970-02-31,9,1\n`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/line \d+: date must be a date such as 2026-03-31, not "1970-02-31"/);
  });

  it('exits with 1 if the file does not exist', async () => {
    const { code, stderr } = await runCommand(['anomalies', 'evaluate', join(folder, 'none.csv')], {});
    expect(code).toBe(1);
    expect(stderr).toContain('none.csv');
  });

  it('exits with 1 if a compressed file is not compressed', async () => {
    const { code, stderr } = await evaluate('plain.csv.gz', PEOPLE);
    expect(code).toBe(1);
    expect(stderr).toMatch(/header/);
  });
});

import { describe, expect, it } from '@jest/globals';
import { evaluatePeople, evaluateSeries, openAnomalyFile, type PersonVerdict, type SeriesVerdict } from './index.js';

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield* [new TextEncoder().encode(text)];
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

async function series(text: string): Promise<SeriesVerdict[]> {
  const { kind, rows } = await openAnomalyFile(bytesOf(text));
  expect(kind).toBe('series');
  return all(evaluateSeries(rows));
}

async function people(text: string): Promise<PersonVerdict[]> {
  const { kind, rows } = await openAnomalyFile(bytesOf(text));
  expect(kind).toBe('people');
  return all(evaluatePeople(rows));
}

const minute = (index: number): string => new Date(index * 300_000).toISOString().slice(0, 19).replace('T', ' ');

describe('a file of series', () => {
  it('gives one verdict per line in the order of the lines if two series alternate', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => [
      `a,${minute(index)},${index === 280 ? 99 : 5 + (index % 4)},x`,
      `b,${minute(index)},7,x`,
    ]).flat();
    const verdicts = await series(`file,timestamp,value,other\n${lines.join('\n')}\n`);
    expect(verdicts.map(({ file, timestamp }) => `${file},${timestamp}`)).toEqual(
      lines.map(line => line.split(',').slice(0, 2).join(',')),
    );
    expect(verdicts.filter(({ alarm }) => alarm === 1)).toMatchObject([
      {
        file: 'a',
        timestamp: minute(280),
        reason: { rule: 'value', observed: 99, expectedLow: expect.closeTo(5, 3), expectedHigh: 8 },
      },
    ]);
    for (const { score } of verdicts) expect(score >= 0 && score <= 1).toBe(true);
  });

  it.each([
    ['a,2026-02-30 00:00:00,1', 'line 2: timestamp must be a time such as 2026-03-31 14:05:00'],
    ['a,yesterday,1', 'line 2: timestamp must be a time such as 2026-03-31 14:05:00, not "yesterday"'],
    ['a,2026-03-31 14:05:00,much', 'line 2: value must be a number such as 12.5, not "much"'],
    ['a,2026-03-31 14:05:00,', 'line 2: value is empty'],
    ['a,2026-03-31 14:05:00', 'line 2: has 2 columns; the header has 3'],
  ])('refuses the line %j with the reason', async (line, message) => {
    await expect(series(`file,timestamp,value\n${line}\n`)).rejects.toThrow(message);
  });
});

describe('a file of users', () => {
  const usual = Array.from({ length: 40 }, (_, index) => {
    const date = new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
    return [`ada,${date},9,${1 + (index % 3)}`, `ada,${date},${10 + (index % 4)},2`];
  }).flat();

  it('gives the alarm of a spike with its expected range, whatever the order of the lines', async () => {
    const spike = ['ada,2026-02-10,9,30'];
    const alarms = await people(`person,date,hour,count\n${[...spike, ...usual].join('\n')}\n`);
    expect(alarms).toMatchObject([
      { person: 'ada', date: '2026-02-10', rule: 'busiest', observed: 30, expected_low: 0 },
    ]);
    expect(alarms[0]?.expected_high).toBeLessThan(30);
  });

  it('gives no alarm if days are normal', async () => {
    expect(await people(`person,date,hour,count\n${usual.join('\n')}\n`)).toEqual([]);
  });

  it.each([
    ['ada,2026-02-30,9,1', 'line 2: date must be a date such as 2026-03-31, not "2026-02-30"'],
    ['ada,2026-02-03,24,1', 'line 2: hour must be a whole number from 0 to 23, not "24"'],
    ['ada,2026-02-03,9,-1', 'line 2: count must be 0 or more, not "-1"'],
    [',2026-02-03,9,1', 'line 2: person is empty'],
  ])('refuses the line %j with the reason', async (line, message) => {
    await expect(people(`person,date,hour,count\n${line}\n`)).rejects.toThrow(message);
  });
});

describe('a file with another header', () => {
  it.each([
    ['', 'the file is empty'],
    ['person,date,hour,commits\n', 'the header is "person,date,hour,commits"'],
  ])('is refused with the supported headers: %j', async (text, message) => {
    await expect(openAnomalyFile(bytesOf(text))).rejects.toThrow(
      `${message}; write "file,timestamp,value" or "person,date,hour,count" as its first line`,
    );
  });
});

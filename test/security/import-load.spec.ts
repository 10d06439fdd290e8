import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IS_FULL, report } from '../faults/processes/chance.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { threadMs, watchTurns } from '../support/turn-watch.js';

const LINES = 100_000;
const MIB = 1024 * 1024;
const TURN_MAX_MS = 250;
/**
 * Maximum time in which an import of existing users may block the event loop. It depends on the size of their stored
 * data, and not on the size of the lines.
 */
const FOUND_TURN_MAX_MS = 200;
const HEADER = 'email,name\n';
/** Users with 50 attributes of 1,000 characters each, copied from an existing user. */
const HEAVY_PEOPLE = `
insert into governance.users
select made.* from governance.users u, generate_series(1, 1000) n,
  jsonb_populate_record(u, jsonb_build_object('id', gen_random_uuid(), 'email', 'heavy' || n || '@x.example',
    'email_key', 'heavy' || n || '@x.example',
    'attributes', (select jsonb_object_agg('a' || i, repeat('x', 1000)) from generate_series(1, 50) i))) made
where u.email_key = 'heavy@x.example'`;

/** Files of at most 5 MiB, each the worst case of its kind. */
const FILES: [string, () => string][] = [
  ['100,000 lines with a quote inside a value', () => HEADER + 'a@x.example,Ada "A" L\n'.repeat(LINES)],
  ['100,000 lines with a quote inside a quoted value', () => HEADER + '"a"b",Ada\n'.repeat(LINES)],
  ['a value of a million quotes', () => `${HEADER}a@x.example,A${'"a'.repeat(MIB)}\n`],
  ['a quoted value of a million quotes', () => `${HEADER}a@x.example,"${'"a'.repeat(MIB)}\n`],
  ['a quote that opens 5 MiB', () => `${HEADER}a@x.example,"${'a\n'.repeat(2 * MIB)}`],
  ['100,000 short lines', () => HEADER + 'a\n'.repeat(LINES)],
  ['a million empty lines', () => HEADER + '\n'.repeat(MIB) + 'a\n'],
  ['a line of five million cells', () => HEADER + ','.repeat(5 * MIB - 100)],
  ['a header line of five million columns', () => ','.repeat(5 * MIB - 100)],
  ['20,000 unknown columns', () => `${'x,'.repeat(20_000)}x\n`],
  ['a thousand columns, each at fault in 2,000 lines', () => wide(999, 2_000)],
  ['40,000 addresses that are none', () => HEADER + 'x,y\n'.repeat(40_000)],
  ['5,000 people who are new', () => HEADER + people(5_000)],
  ['100 people with 50 long attributes each', () => fat(100)],
];

function wide(columns: number, lines: number): string {
  const header = Array.from({ length: columns }, (_, at) => `attributes.a${at}:number`).join(',');
  return `email,${header}\n${`x${',x'.repeat(columns)}\n`.repeat(lines)}`;
}

function fat(count: number): string {
  const names = Array.from({ length: 50 }, (_, at) => `attributes.a${at}`).join(',');
  const values = `,${'x'.repeat(1_000)}`.repeat(50);
  return `email,name,${names}\n${Array.from({ length: count }, (_, at) => `f${at}@x.example,F${values}\n`).join('')}`;
}

function people(count: number): string {
  return Array.from({ length: count }, (_, at) => `p${at}@x.example,Person ${at}\n`).join('');
}

describe('an import of the worst files', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await startTestApp();
  });

  afterAll(() => test.close());

  const send = (text: string, query: string): Promise<Answer> =>
    test.call('POST', `/v1/users/import${query}`, text, { 'content-type': 'text/csv' });

  /** Calls /health/live until the signal. Returns the CPU time that the slowest answer took. */
  async function askForLife(signal: AbortSignal): Promise<{ slowest: number; answers: number }> {
    let [slowest, answers] = [0, 0];
    while (!signal.aborted) {
      const before = threadMs();
      const { status } = await fetch(`${test.url}/health/live`);
      slowest = Math.max(slowest, threadMs() - before);
      if (status === 200) answers++;
    }
    return { slowest, answers };
  }

  it.each(FILES)(
    'lets /health/live answer within 250 ms of CPU time, and limits its own answer, for %s',
    async (what, make) => {
      const text = make();
      const query = what.includes('people') ? '' : '?dry_run=true';
      expect(text.length).toBeLessThanOrEqual(5 * MIB);
      const done = new AbortController();
      const asking = askForLife(done.signal);
      const { longest, result } = await watchTurns(() => send(text, query));
      done.abort();
      const { slowest, answers } = await asking;
      expect([200, 400, 413]).toContain(result.status);
      expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(Math.max(64 * 1024, 2 * Buffer.byteLength(text)));
      expect(answers).toBeGreaterThan(0);
      if (IS_FULL) report(what, { turn_ms: longest, live_ms: slowest, bytes: result.text.length, of: text.length });
      expect({ longest: longest < TURN_MAX_MS, ms: longest }).toEqual({ longest: true, ms: longest });
      expect({ slowest: slowest < TURN_MAX_MS, ms: slowest }).toEqual({ slowest: true, ms: slowest });
    },
  );

  it.each(['?dry_run=true', ''])(
    'blocks the event loop for less than 200 ms if it changes 1,000 users who have 50 kB of attributes: query "%s"',
    async query => {
      if (query !== '') {
        const person = { email: 'heavy@x.example', name: 'Heavy' };
        expect((await test.call('POST', '/v1/users', person)).status).toBe(201);
        await test.database.asOwner(HEAVY_PEOPLE);
      }
      const lines = Array.from({ length: 1_000 }, (_, at) => `heavy${at + 1}@x.example,Sales\n`);
      const text = `email,department\n${lines.join('')}`;
      const { longest, result } = await watchTurns(() => send(text, query));
      if (IS_FULL) report(`found people ${query}`, { turn_ms: longest });
      expect(result.body).toMatchObject({ updated: 1_000 });
      expect({ longest: longest < FOUND_TURN_MAX_MS, ms: longest }).toEqual({ longest: true, ms: longest });
    },
  );
});

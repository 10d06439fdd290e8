import { describe, expect, it } from '@jest/globals';
import { RowMapping, type MappingOptions } from './row-mapping.js';
import { readTime } from './time-format.js';

const COLUMNS = ['time', 'session', 'in', 'out', 'calls'];
const FIELDS = {
  occurred_at: '{time}',
  user_email: '{session}@chat.example',
  provider: 'openai',
  model: 'gpt-4o',
  input_tokens: '{in}',
  output_tokens: '{out}',
};

function mapping(change: Partial<MappingOptions> = {}): RowMapping {
  return new RowMapping({ fields: FIELDS, timeFormat: 'seconds', ...change }, COLUMNS);
}

const ROW = { time: '90', session: 's1', in: '374', out: '44', calls: '0' };

describe('the mapping of rows to usage events', () => {
  it('replaces names of columns in braces and keeps other text unchanged', () => {
    expect(mapping().map(ROW, 'f-1', 0)).toEqual({
      event: {
        id: 'f-1',
        occurred_at: '1970-01-01T00:01:30.000Z',
        user_email: 's1@chat.example',
        provider: 'openai',
        model: 'gpt-4o',
        input_tokens: 374,
        output_tokens: 44,
      },
      person: { email: 's1@chat.example' },
      isEmpty: false,
    });
  });

  it('shifts times and counts them from the origin', () => {
    const mapped = mapping({ timeOrigin: new Date('2026-01-01T00:00:00Z') }).map(ROW, 'f-1', 1_000);
    expect(mapped.event['occurred_at']).toBe('2026-01-01T00:01:31.000Z');
  });

  it('recognizes a row that is not a request', () => {
    expect(mapping({ fields: { ...FIELDS, requests: '{calls}' } }).map(ROW, 'f-1', 0).isEmpty).toBe(true);
  });

  it('treats an empty name or department as missing', () => {
    const fields = { ...FIELDS, user_name: '{session} {calls}', user_department: '{session}' };
    expect(mapping({ fields }).map({ ...ROW, session: '', calls: '' }, 'f-1', 0).person).toEqual({
      email: '@chat.example',
    });
    expect(mapping({ fields }).map(ROW, 'f-1', 0).person).toMatchObject({ name: 's1 0', department: 's1' });
  });

  it('takes a project and tags from columns, and none from empty cells', () => {
    const fields = { ...FIELDS, project: '{session}', 'tag:team': '{calls}', 'tag:env': 'prod' };
    expect(mapping({ fields }).map(ROW, 'f-1', 0).event).toMatchObject({
      project: 's1',
      tags: { team: '0', env: 'prod' },
    });
    const empty = mapping({ fields }).map({ ...ROW, session: '', calls: '' }, 'f-1', 0).event;
    expect([empty['project'], empty['tags']]).toEqual([undefined, { env: 'prod' }]);
  });

  it('keeps invalid numbers and times unchanged, so that the refusal names them', () => {
    const { event } = mapping().map({ ...ROW, in: 'many', time: 'noon' }, 'f-1', 0);
    expect(event).toMatchObject({ input_tokens: 'many', occurred_at: 'noon' });
  });

  it.each([
    [{ ...FIELDS, tokens: '1' }, /tokens is not a field; there are: id/],
    [{ ...FIELDS, model: '{llm}' }, /there is no column \{llm\}; the file has: time, session/],
    [{ ...FIELDS, model: undefined }, /model is not mapped/],
    [{ ...FIELDS, user_email: undefined }, /nobody is named/],
  ])('refuses a mapping that does not fit the file %#', (fields, message) => {
    const given = Object.fromEntries(
      Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    expect(() => mapping({ fields: given })).toThrow(message);
  });
});

describe('the times of a table', () => {
  it.each([
    ['2023-11-16 18:15:46.6805900', 'iso', '2023-11-16T18:15:46.680Z'],
    ['2023-11-16', 'iso', '2023-11-16T00:00:00.000Z'],
    ['2023-11-16T18:15:46+0130', 'iso', '2023-11-16T16:45:46.000Z'],
    ['2', 'hours', '1970-01-01T02:00:00.000Z'],
    ['1.5', 'seconds', '1970-01-01T00:00:01.500Z'],
    ['60000', 'milliseconds', '1970-01-01T00:01:00.000Z'],
  ] as const)('reads %s (%s)', (text, format, expected) => {
    expect(new Date(readTime(text, format, 0) ?? Number.NaN).toISOString()).toBe(expected);
  });

  it.each(['', 'noon', '16.11.2023', '2023-13-01'])('reads no time from %j', text => {
    expect(readTime(text, 'iso', 0)).toBeNull();
    expect(readTime(text, 'seconds', 0)).toBeNull();
  });
});

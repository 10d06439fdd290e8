import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EVENT_CATALOGUE } from '../../libs/outbox/events/index.js';
import { readPage, ROOT } from './markdown.js';

const PAGE = 'docs/webhooks.md';
/** The table below its heading. */
const TABLE = /(?<=^## Types of events\n\n)(?:\|.*\n)+/m;

/** The registry of events as a Markdown table, with the column widths of Prettier. */
function eventTable(): string {
  const rows = EVENT_CATALOGUE.map(({ type, description, schema }) => {
    const fields = Object.keys(schema.properties).map(field => `\`${field}\``);
    return [`\`${type}\``, description, fields.join(', ') || 'nothing'];
  });
  const all = [['Type', 'Sent when', '`data`'], ...rows];
  const widths = [0, 1, 2].map(column => Math.max(...all.map(row => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const [head = '', ...body] = all.map(row => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  return head + line(widths.map(width => '-'.repeat(width))) + body.join('');
}

describe('the types of events in docs/webhooks.md', () => {
  it('are those of the registry, each with its trigger and its fields (npm run docs:reference writes them)', () => {
    if (process.env['UPDATE_DOCS'] !== undefined) {
      writeFileSync(
        join(ROOT, PAGE),
        readPage(PAGE).replace(TABLE, () => eventTable()),
      );
    }
    expect(TABLE.exec(readPage(PAGE))?.[0]).toBe(eventTable());
  });
});

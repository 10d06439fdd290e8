import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { codeFiles, lookupsIn } from './lookups.js';

/** Files in which a caller never determines a key, with the origin of the keys. */
const OWN_KEYS = new Map([
  ['apps/examples/express-host/src/settings.ts', 'names of variables of the example'],
  ['apps/standalone/environment.ts', 'names of variables'],
  ['apps/standalone/running-file.ts', 'fields of a file that the app writes itself'],
  ['apps/standalone/traces.ts', 'names of variables of OpenTelemetry'],
  ['libs/access/http/build-input.ts', 'properties of a DTO'],
  ['libs/access/http/early-input.ts', 'numbers that Nest gives to parameters'],
  ['libs/access/http/page-csv.interceptor.ts', 'fields that a response class documents'],
  ['libs/access/http/presenter.ts', 'fields that a response class documents'],
  ['libs/access/http/unread-body.ts', 'names of headers in a list of its own'],
  ['libs/core/options/rules.ts', 'methods that a rule names; those of the class count too'],
  ['libs/database/database-fault.ts', 'states of PostgreSQL, by their pattern'],
  ['libs/governance/composition/decorated.ts', 'the name of a class, of the object made with it'],
  ['libs/governance/environment/read-environment.ts', 'names of variables, and options of our own'],
  ['libs/governance/openapi-examples.ts', 'schemas of the own document'],
  ['libs/governance/usage-import/row-template.ts', 'columns that the file was found to have'],
  ['libs/outbox/listeners/event-listeners.ts', 'methods of providers that Nest found'],
  ['libs/outbox/tasks/dead-letters.ts', 'names of queues'],
  ['libs/anomalies/evaluate/cells.ts', 'columns that the reader of the file names'],
  ['libs/usage/events/fingerprint.ts', 'keys of the object itself'],
  ['libs/usage/events/provider-usage.ts', 'keys of the object itself'],
  ['libs/usage/prices/catalog-price-table.ts', 'keys of the object itself, and price classes'],
]);

const PLANTED = `
const table: Record<string, number> = { one: 1 };
export const bad = (text: string) => [table[text], { a: 1 }[text], text in table, Reflect.get(table, text)];
export const guarded = (text: string) => (Object.hasOwn(table, text) ? table[text] : undefined);
export const fixed = (key: 'one') => table[key];
export const listed = (list: number[], at: number) => list[at];
export const parsed = (json: Record<string, unknown>, text: string) => json[text];
`;

describe('lookups by a text key', () => {
  it('use a Map or are guarded by Object.hasOwn, so that "constructor" is not found', () => {
    const folder = mkdtempSync(join(tmpdir(), 'governance-lookups-'));
    const planted = join(folder, 'planted.ts');
    writeFileSync(planted, PLANTED);
    try {
      const found = lookupsIn([...codeFiles(), planted]);
      const isPlanted = ({ file }: { file: string }): boolean => file.endsWith('planted.ts');
      expect(found.filter(isPlanted).map(({ code }) => code)).toEqual([
        'table[text]',
        '{ a: 1 }[text]',
        'text in table',
        'Reflect.get(table, text)',
      ]);
      expect(found.filter(lookup => !isPlanted(lookup) && !OWN_KEYS.has(lookup.file))).toEqual([]);
      const used = new Set(found.map(({ file }) => file));
      expect([...OWN_KEYS.keys()].filter(file => !used.has(file))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 300_000);
});

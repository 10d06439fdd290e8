import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { operationsSource } from '../../scripts/client/operations-source.js';
import { accessReference } from './access-reference.js';
import { apiReference } from './api-reference.js';
import { entryPointsOf, moduleReference, readEntryPoints, type EntryPoint } from './module-reference.js';
import { readOpenApiDocument, type OpenApiDocument } from '../../scripts/client/openapi.js';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(ROOT, 'docs', 'reference');

/** SHA-256 of each generated file. Committed, so that a review shows a change of the public interface. */
const HASHES = join(FOLDER, 'hashes.json');
const UPDATE = process.env['UPDATE_DOCS'] !== undefined;

/** Compares the committed page with the code. Writes the page if UPDATE_DOCS is set. */
function expectPage(name: string, text: string): void {
  if (UPDATE) writeFileSync(join(FOLDER, name), text);
  expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(text);
}

/** Writes a file that is not committed, and compares its hash with the committed hash. */
function expectHash(name: string, text: string, folder = FOLDER): void {
  writeFileSync(join(folder, name), text);
  const hashes = new Map(Object.entries(JSON.parse(readFileSync(HASHES, 'utf8')) as Record<string, string>));
  const hash = createHash('sha256').update(text).digest('hex');
  if (UPDATE) {
    const sorted = [...hashes.set(name, hash)].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
    writeFileSync(HASHES, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
  expect({ name, hash, remedy: REMEDY }).toEqual({ name, hash: hashes.get(name), remedy: REMEDY });
}

const REMEDY = 'If the change of the interface is intended, run npm run docs:reference and commit hashes.json.';

describe('the reference of the API', () => {
  let document: OpenApiDocument;

  beforeAll(async () => {
    document = await readOpenApiDocument();
  });

  it('has the committed hash of docs/reference/api.md', () => {
    expectHash('api.md', apiReference(document));
  });

  it('equals docs/reference/access.md (npm run docs:reference writes it)', () => {
    expectPage('access.md', accessReference(document));
  });

  it('has the committed hash of docs/reference/openapi.json', () => {
    expectHash('openapi.json', `${JSON.stringify(document, null, 2)}\n`);
  });

  it('has the committed hash of libs/client/operations.ts', () => {
    expectHash('operations.ts', operationsSource(document), join(ROOT, 'libs', 'client'));
  });
});

describe('the reference of the module', () => {
  let entryPoints: EntryPoint[];

  beforeAll(() => {
    // npm validates the manifest, so its shape is known.
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Parameters<
      typeof entryPointsOf
    >[0];
    entryPoints = readEntryPoints(entryPointsOf(manifest));
  });

  it('covers every entry point', () => {
    expect(entryPoints.map(({ entryPoint }) => entryPoint)).toEqual(
      expect.arrayContaining(['nest-llm-governance', 'nest-llm-governance/policy']),
    );
    for (const { exports } of entryPoints) expect(exports.length).toBeGreaterThan(3);
  });

  it('finds a docstring on every exported name', () => {
    const silent = entryPoints.flatMap(({ exports }) =>
      exports.filter(({ summary }) => summary === '').map(({ name, file }) => `${name} in ${file}`),
    );
    expect(silent).toEqual([]);
  });

  it('has the committed hash of docs/reference/module.md', () => {
    expectHash('module.md', moduleReference(entryPoints));
  });
});

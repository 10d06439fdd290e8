import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { accessReference } from './access-reference.js';
import { apiReference } from './api-reference.js';
import { doorsOf, moduleReference, readDoors, type Door } from './module-reference.js';
import { readOpenApiDocument, type OpenApiDocument } from './openapi.js';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(ROOT, 'docs', 'reference');

/** Compares a page with what it must say, or writes it where UPDATE_DOCS says so. */
function expectPage(name: string, text: string): void {
  if (process.env['UPDATE_DOCS']) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, name), text);
  }
  expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(text);
}

describe('the reference of the API', () => {
  let document: OpenApiDocument;

  beforeAll(async () => {
    document = await readOpenApiDocument();
  });

  it('is what docs/reference/api.md says (npm run docs:reference writes it)', () => {
    expectPage('api.md', apiReference(document));
  });

  it('is what docs/reference/access.md says (npm run docs:reference writes it)', () => {
    expectPage('access.md', accessReference(document));
  });

  it('is what docs/reference/openapi.json says (npm run docs:reference writes it)', () => {
    expectPage('openapi.json', `${JSON.stringify(document, null, 2)}\n`);
  });
});

describe('the reference of the module', () => {
  let doors: Door[];

  beforeAll(() => {
    // npm keeps to its schema.
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Parameters<typeof doorsOf>[0];
    doors = readDoors(doorsOf(manifest));
  });

  it('covers every door', () => {
    expect(doors.map(({ door }) => door)).toEqual(
      expect.arrayContaining(['nest-llm-governance', 'nest-llm-governance/policy']),
    );
    for (const { exports } of doors) expect(exports.length).toBeGreaterThan(3);
  });

  it('finds a docstring on every exported name', () => {
    const silent = doors.flatMap(({ exports }) =>
      exports.filter(({ summary }) => summary === '').map(({ name, file }) => `${name} in ${file}`),
    );
    expect(silent).toEqual([]);
  });

  it('is what docs/reference/module.md says (npm run docs:reference writes it)', () => {
    expectPage('module.md', moduleReference(doors));
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { clientSource } from './client-source.js';
import { readOpenApiDocument, routesOf, type OpenApiDocument } from './openapi.js';

const FILE = join(import.meta.dirname, '..', '..', 'libs', 'client', 'operations.ts');
const REMEDY = 'Run npm run docs:reference and commit libs/client/operations.ts.';

describe('the operations of the client', () => {
  let document: OpenApiDocument;

  beforeAll(async () => {
    document = await readOpenApiDocument();
  });

  it('are those of the OpenAPI document', () => {
    const text = clientSource(document);
    if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(FILE, text);
    const isSame = readFileSync(FILE, 'utf8') === text;
    expect({ isSame, remedy: REMEDY }).toEqual({ isSame: true, remedy: REMEDY });
  });

  it('change if a field of the document changes', () => {
    const changed = structuredClone(document);
    const field = Object.values(Object.values(changed.components.schemas)[0]?.properties ?? {})[0]!;
    field.type = 'integer';
    expect(clientSource(changed)).not.toBe(clientSource(document));
  });

  it("have one method for every operation but the gateway's", () => {
    const text = clientSource(document);
    const missing = routesOf(document).filter(({ operation }) => !text.includes(`\n  ${operation.operationId}: '`));
    expect(missing.map(({ operation }) => operation.operationId)).toEqual(['callProvider']);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { operationsSource } from '../../scripts/client/operations-source.js';
import { readOpenApiDocument, routesOf, type OpenApiDocument } from '../../scripts/client/openapi.js';

describe('the operations of the client', () => {
  let document: OpenApiDocument;

  beforeAll(async () => {
    document = await readOpenApiDocument();
  });

  it('change if a field of the document changes', () => {
    const changed = structuredClone(document);
    const field = Object.values(Object.values(changed.components.schemas)[0]?.properties ?? {})[0]!;
    field.type = 'integer';
    expect(operationsSource(changed)).not.toBe(operationsSource(document));
  });

  it("have one method for every operation but the gateway's", () => {
    const text = operationsSource(document);
    const missing = routesOf(document).filter(({ operation }) => !text.includes(`\n  ${operation.operationId}: '`));
    expect(missing.map(({ operation }) => operation.operationId)).toEqual(['callProvider']);
  });
});

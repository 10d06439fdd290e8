import { describe, expect, it } from '@jest/globals';
import { acceptsProgress } from './progress-lines.js';

describe('progress lines', () => {
  it.each([
    ['application/x-ndjson', true],
    ['application/json;q=0.5, Application/X-NDJSON ; q=0.1', true],
    ['application/x-ndjson; charset=utf-8', true],
    ['application/x-ndjson;q=0', false],
    ['application/x-ndjson; Q=0.000, application/json', false],
    ['application/x-ndjson;q=high', false],
    ['application/x-ndjson-seq', false],
    ['application/json', false],
    ['*/*', false],
    [undefined, false],
  ])('are requested by %s: %s', (accept, isAsked) => {
    expect(acceptsProgress(accept)).toBe(isAsked);
  });
});

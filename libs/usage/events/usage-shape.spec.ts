import { describe, expect, it } from '@jest/globals';
import { shapeOf } from './usage-shape.js';

describe('the shape of a usage object', () => {
  it('is the same for other counts, and another for other fields, types or positions', () => {
    const shape = shapeOf({ prompt_tokens: 1, prompt_tokens_details: { cached_tokens: 0 } });
    expect(shape).toEqual(expect.any(String));
    expect(shapeOf({ prompt_tokens: 70, prompt_tokens_details: { cached_tokens: 64 } })).toBe(shape);
    for (const other of [
      { input_tokens: 1, prompt_tokens_details: { cached_tokens: 0 } },
      { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: null } },
      { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: '0' } },
      { prompt_tokens: 1, prompt_tokens_details: null },
      { prompt_tokens: 1, prompt_tokens_details: {}, cached_tokens: 0 },
      { prompt_tokens: 1 },
    ]) {
      expect(shapeOf(other)).not.toBe(shape);
    }
  });

  it('cannot be imitated by names of fields', () => {
    expect(shapeOf({ a: 1, b: 2 })).not.toBe(shapeOf({ 'anumber1:b': 2 }));
    expect(shapeOf({ a: { b: 1 } })).not.toBe(shapeOf({ 'a{1:b': 1 }));
  });

  it('is unknown for lists, and for deep and large objects', () => {
    expect(shapeOf({ details: [{ modality: 'TEXT', count: 1 }] })).toBeUndefined();
    expect(shapeOf({ a: { b: { c: { d: {} } } } })).toBeUndefined();
    expect(shapeOf({ a: { b: { c: {} } } })).toEqual(expect.any(String));
    expect(shapeOf({ ['x'.repeat(600)]: 1 })).toBeUndefined();
    expect(shapeOf({})).toBe('');
  });
});

import { describe, expect, it } from '@jest/globals';
import { shorten } from './incident-reference.js';

describe('a short id', () => {
  it('has eight characters if it is unique, or one more than it has in common with its neighbors', () => {
    const id = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';
    expect(shorten(id, [null, null])).toBe('0199c2a8');
    expect(shorten(id, ['0199c2a7-7f00-7a31-9d42-5b1e6f0c8a21', null])).toBe('0199c2a8');
    expect(shorten(id, [null, '0199c2a8-8f00-7a31-9d42-5b1e6f0c8a21'])).toBe('0199c2a8-7');
    expect(shorten(id, ['0199c2a8-7f00-7a30-9d42-5b1e6f0c8a21', '0199c2a8-8f00-7a31-9d42-5b1e6f0c8a21'])).toBe(
      '0199c2a8-7f00-7a31',
    );
  });
});

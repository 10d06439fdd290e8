import { describe, expect, it } from '@jest/globals';
import { bytesArray, plainArray, textArray } from './pg-array.js';

const same = <T>(value: T): T => value;

describe('array literals', () => {
  it('quote and escape texts, and distinguish NULL from "NULL"', () => {
    expect(textArray(['a', null, 'NULL', 'c,d', '"', '\\', '{}', '', undefined], same)).toBe(
      String.raw`{"a",NULL,"NULL","c,d","\"","\\","{}","",NULL}`,
    );
  });

  it('write numbers as they are', () => {
    expect(plainArray([1, 2n, '3', null, 0], same)).toBe('{1,2,3,NULL,0}');
  });

  it('write bytes in hexadecimal', () => {
    expect(bytesArray(['00ff'], same)).toBe(String.raw`{"\\x00ff"}`);
  });

  it('are empty braces for no values', () => {
    expect([textArray([], same), plainArray([], same), bytesArray([], same)]).toEqual(['{}', '{}', '{}']);
  });
});

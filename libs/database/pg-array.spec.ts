import { describe, expect, it } from '@jest/globals';
import { bytesArray, plainArray, textArray } from './pg-array.js';

const same = <T>(value: T): T => value;

describe('array literals', () => {
  it('quote and escape texts, and distinguish NULL from "NULL"', () => {
    expect(textArray(['a', null, 'NULL', 'c,d', '"', '\\', '{}', '', undefined], same)).toBe(
      String.raw`{"a",NULL,"NULL","c,d","\"","\\","{}","",NULL}`,
    );
  });

  it('escape quotes and backslashes alone, also in JSON and beside characters that JSON escapes', () => {
    for (const text of ['{"a":"ö\\n"}', '"\n\t\u0001', '"\ud83d\ude00', '"\ud800', '"\u2028\u007f']) {
      expect(textArray([text], same)).toBe(`{"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"}`);
    }
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

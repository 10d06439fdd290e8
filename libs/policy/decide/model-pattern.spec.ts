import { describe, expect, it } from '@jest/globals';
import { compileModelPattern, validateModel } from './model-pattern.js';

describe('model patterns', () => {
  it.each<[string, string[], string[]]>([
    ['gpt-4*', ['gpt-4', 'gpt-4o'], ['GPT-4', 'a-gpt-4', 'gpt-']],
    ['*-mini', ['-mini', 'gpt-5-mini'], ['gpt-5-mini-1', 'mini']],
    ['gpt-*-mini', ['gpt--mini', 'gpt-5-mini'], ['gpt-mini', 'gpt-5-mini ']],
    ['a*b*c', ['abc', 'a1b2c', 'abbcc'], ['acb', 'ab', 'ac']],
    ['a*a', ['aa', 'aba'], ['a', 'ab']],
    ['*a*a*', ['aa', 'bab-a'], ['a', 'bab']],
    ['*b*', ['b', 'abc'], ['', 'ac']],
    ['**', ['', 'x'], []],
    ['a.c*', ['a.c', 'a.cd'], ['abc', 'abcd']],
    ['[a-z]+*', ['[a-z]+1'], ['b', 'bb']],
    ['gpt-5', ['gpt-5'], ['gpt-5o', 'gpt-', '']],
    ['*ab*ab', ['abab', 'ab-ab'], ['ab', 'aab']],
    ['*\n*', ['a\nb'], ['ab']],
  ])('%s matches %j, but not %j', (pattern, hits, misses) => {
    const matches = compileModelPattern(pattern);
    expect(hits.filter(model => !matches(model))).toEqual([]);
    expect(misses.filter(matches)).toEqual([]);
  });

  it('does not backtrack on a hostile pattern', () => {
    const matches = compileModelPattern(`${'*a'.repeat(127)}*b`);
    const started = performance.now();
    for (let n = 0; n < 100; n++) expect(matches('a'.repeat(10_000))).toBe(false);
    expect(compileModelPattern(`${'*a'.repeat(126)}b*c*`)('a'.repeat(10_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('describes the allowed models', () => {
    for (const model of [null, 'gpt-5', '*', 'm'.repeat(255)]) expect(validateModel(model)).toEqual([]);
    expect(validateModel('')).toEqual([
      { field: 'model', message: 'must be a model name, a pattern such as "gpt-4*", or null for all models' },
    ]);
    expect(validateModel(5)).toHaveLength(1);
    expect(validateModel('m'.repeat(256))[0]?.message).toBe('must have at most 255 characters');
    expect(validateModel('a\0')[0]?.message).toBe('must not contain NUL or half of a surrogate pair');
  });
});

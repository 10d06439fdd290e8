import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { adfDefects } from './adf-defects.js';

describe('adfDefects', () => {
  const text = { type: 'text', text: 'x' };
  const holding = (...content: object[]): JsonObject => ({ version: 1, type: 'doc', content: content as JsonObject[] });
  const marked = (...marks: object[]): object => ({ type: 'paragraph', content: [{ ...text, marks }] });

  it('finds none in a plain document', () => {
    const link = { type: 'link', attrs: { href: 'https://example.com' } };
    const code = marked({ type: 'code' }, link);
    expect(
      adfDefects(holding(marked(link), code, { type: 'codeBlock', attrs: { language: 'json' }, content: [text] })),
    ).toEqual([]);
  });

  it.each([
    ['a text node at the top level', holding(text)],
    ['an empty text', holding({ type: 'paragraph', content: [{ type: 'text', text: '' }] })],
    ['a mark in code', holding({ type: 'codeBlock', content: [{ ...text, marks: [{ type: 'strong' }] }] })],
    ['code with a strong mark', holding(marked({ type: 'code' }, { type: 'strong' }))],
    ['attributes of a mark without attributes', holding(marked({ type: 'strong', attrs: {} }))],
    ['a link without a target', holding(marked({ type: 'link' }))],
    ['an unknown node', holding({ type: 'blink' })],
    ['an unknown attribute', holding({ type: 'codeBlock', attrs: { lang: 'json' } })],
    ['an unknown key', holding({ type: 'paragraph', text: 'x' })],
    ['another version', { ...holding(), version: 2 }],
    ['no content', { version: 1, type: 'doc' }],
  ])('finds %s', (_what, doc) => {
    expect(adfDefects(doc)).not.toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { CUT_MARK, cutText, describeDraft, oneLine, payloadText } from './ticket-text.js';

const SMILE = '\u{1F600}';

describe('oneLine', () => {
  it.each([
    ['line breaks', 'a\r\nb\nc\rd\u2028e\u2029f\u0085g', 'a b c d e f g'],
    ['control characters', 'a\u0000b\u0007\u001b[31mc\u007fd', 'a b [31mc d'],
    ['characters that change the writing direction', 'a\u202Eb\u202Cc \u2066d\u2069 \u200Fe', 'abc d e'],
    ['several spaces in a row', '  a \t  b\u00A0 ', 'a b'],
    ['halves of surrogate pairs', 'a\ud800b', 'a\uFFFDb'],
  ])('removes line breaks and invisible characters: %s', (_what, text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  it('keeps words of all scripts and joined emoji', () => {
    const text = 'Zoë прив 你好 שלום \u{1F468}\u200D\u{1F469}\u200D\u{1F467}';
    expect(oneLine(text)).toBe(text);
  });
});

describe('cutText', () => {
  it('keeps a text that fits exactly', () => {
    expect(cutText('abcde', 5, '…')).toBe('abcde');
    expect(cutText('abcdef', 5, '…')).toBe('abcd…');
  });

  it('never truncates inside a character', () => {
    expect(cutText(SMILE.repeat(3), 4, '…')).toBe(`${SMILE}…`);
    expect(cutText(SMILE.repeat(3), 5, '…')).toBe(`${SMILE}${SMILE}…`);
    expect(cutText('abcdef', 1, SMILE)).toBe('');
  });

  it('keeps the limit even if the mark does not fit', () => {
    for (const limit of [0, 1, 3, 7, 8]) expect(cutText('a'.repeat(20), limit).length).toBeLessThanOrEqual(limit);
  });
});

describe('payloadText', () => {
  it('indents if there is room, and drops the indentation before any content', () => {
    expect(payloadText({ a: 1 }, 12)).toBe('{\n  "a": 1\n}');
    expect(payloadText({ a: 1 }, 11)).toBe('{"a":1}');
    expect(payloadText({ a: 'x'.repeat(50) }, 30)).toBe(`{\n  "a": "xxxxxxxxxxxx\n… [cut]`);
  });

  it.each([
    ['between two characters', 28],
    ['within a character', 29],
  ])('truncates between two characters if the limit falls %s', (_where, limit) => {
    expect(payloadText({ a: SMILE.repeat(50) }, limit)).toBe(`{\n  "a": "${SMILE.repeat(5)}\n${CUT_MARK}`);
  });

  it('writes invisible characters as escapes, which is equivalent JSON', () => {
    const payload = { a: 'x\u202Ey\u2028z\u0000', b: 'é' };
    const text = payloadText(payload, 1_000);
    expect(text).toBe('{\n  "a": "x\\u202ey\\u2028z\\u0000",\n  "b": "é"\n}');
    expect(JSON.parse(text)).toEqual(payload);
  });
});

describe('describeDraft', () => {
  const draft = { key: 'k', title: 't', severity: 'low', labels: [], payload: { text: 'x'.repeat(500) } } as const;

  it('puts the link where it is never truncated', () => {
    const text = describeDraft({ ...draft, link: 'https://governance.example.com/i/1' }, 120);
    expect(text).toMatch(/^Incident: https:\/\/governance\.example\.com\/i\/1\n\n\{\n {2}"text": "x+\n… \[cut\]$/);
    expect(text).toHaveLength(120);
  });

  it('truncates between characters, wherever the limit falls', () => {
    const texts = ['1', '12'].map(id =>
      describeDraft(
        { ...draft, payload: { text: SMILE.repeat(500) }, link: `https://governance.example.com/i/${id}` },
        120,
      ),
    );
    for (const text of texts) expect(text).toMatch(/\u{1F600}\n… \[cut\]$/u);
    expect(new Set(texts.map(({ length }) => length))).toEqual(new Set([119, 120]));
  });

  it('works without a link', () => {
    expect(describeDraft({ ...draft, link: null }, 1_000)).toMatch(/^\{\n/);
  });
});

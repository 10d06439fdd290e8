import { describe, expect, it } from '@jest/globals';
import { CUT_MARK, cutText, describeDraft, oneLine, payloadText } from './ticket-text.js';

const SMILE = '\u{1F600}';

describe('oneLine', () => {
  it.each([
    ['line breaks', 'a\r\nb\nc\rd\u2028e\u2029f\u0085g', 'a b c d e f g'],
    ['control characters', 'a\u0000b\u0007\u001b[31mc\u007fd', 'a b [31mc d'],
    ['characters that turn the direction', 'a\u202Eb\u202Cc \u2066d\u2069 \u200Fe', 'abc d e'],
    ['runs of blanks', '  a \t  b\u00A0 ', 'a b'],
    ['halves of surrogate pairs', 'a\ud800b', 'a\uFFFDb'],
  ])('folds %s', (_what, text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  it('leaves words of all scripts and joined emoji alone', () => {
    const text = 'Zoë прив 你好 שלום \u{1F468}\u200D\u{1F469}\u200D\u{1F467}';
    expect(oneLine(text)).toBe(text);
  });
});

describe('cutText', () => {
  it('leaves alone what fits, to the last character', () => {
    expect(cutText('abcde', 5, '…')).toBe('abcde');
    expect(cutText('abcdef', 5, '…')).toBe('abcd…');
  });

  it('never cuts a character in half', () => {
    expect(cutText(SMILE.repeat(3), 4, '…')).toBe(`${SMILE}…`);
    expect(cutText(SMILE.repeat(3), 5, '…')).toBe(`${SMILE}${SMILE}…`);
    expect(cutText('abcdef', 1, SMILE)).toBe('');
  });

  it('keeps the limit where not even the mark fits', () => {
    for (const limit of [0, 1, 3, 7, 8]) expect(cutText('a'.repeat(20), limit).length).toBeLessThanOrEqual(limit);
  });
});

describe('payloadText', () => {
  it('indents what has room, and gives up the blanks before it gives up content', () => {
    expect(payloadText({ a: 1 }, 12)).toBe('{\n  "a": 1\n}');
    expect(payloadText({ a: 1 }, 11)).toBe('{"a":1}');
    expect(payloadText({ a: 'x'.repeat(50) }, 30)).toBe(`{\n  "a": "xxxxxxxxxxxx\n… [cut]`);
  });

  it.each([
    ['between two characters', 28],
    ['inside of a character', 29],
  ])('cuts before the limit that falls %s', (_where, limit) => {
    expect(payloadText({ a: SMILE.repeat(50) }, limit)).toBe(`{\n  "a": "${SMILE.repeat(5)}\n${CUT_MARK}`);
  });

  it('writes what cannot be seen as escapes, which are the same JSON', () => {
    const payload = { a: 'x\u202Ey\u2028z\u0000', b: 'é' };
    const text = payloadText(payload, 1_000);
    expect(text).toBe('{\n  "a": "x\\u202ey\\u2028z\\u0000",\n  "b": "é"\n}');
    expect(JSON.parse(text)).toEqual(payload);
  });
});

describe('describeDraft', () => {
  const draft = { key: 'k', title: 't', severity: 'low', labels: [], payload: { text: 'x'.repeat(500) } } as const;

  it('puts the link where no cut reaches it', () => {
    const text = describeDraft({ ...draft, link: 'https://governance.example.com/i/1' }, 120);
    expect(text).toMatch(/^Incident: https:\/\/governance\.example\.com\/i\/1\n\n\{\n {2}"text": "x+\n… \[cut\]$/);
    expect(text).toHaveLength(120);
  });

  it('cuts between characters, wherever the link lets the limit fall', () => {
    const texts = ['1', '12'].map(id =>
      describeDraft(
        { ...draft, payload: { text: SMILE.repeat(500) }, link: `https://governance.example.com/i/${id}` },
        120,
      ),
    );
    for (const text of texts) expect(text).toMatch(/\u{1F600}\n… \[cut\]$/u);
    expect(new Set(texts.map(({ length }) => length))).toEqual(new Set([119, 120]));
  });

  it('does without where there is none', () => {
    expect(describeDraft({ ...draft, link: null }, 1_000)).toMatch(/^\{\n/);
  });
});

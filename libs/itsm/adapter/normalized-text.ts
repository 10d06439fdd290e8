/**
 * Matches an encoded unit of text: bytes that are percent-encoded once or twice, backslashes with an escape, or an HTML
 * entity.
 */
const ENCODED =
  /(?<percent>(?:%(?:25)?[0-9a-f]{2})+)|\\+(?:u(?<unit>[0-9a-f]{4})|[nrtbf])?|&(?:#(?<decimal>\d{1,7})|#x(?<hex>[0-9a-f]{1,6})|(?<entity>amp|lt|gt|quot|apos|nbsp));/iuy;

/** Characters with which an encoded unit can begin. */
const BEGIN = /[%\\&]/;

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }));

/** Characters that are changed by line folding, by escaping, or by the variants of base64. */
const CHANGING = /[\s\p{Cc}\p{Cf}\\+\-=]/gu;

/** The normalized form of each ASCII character; undefined for characters with which an encoded unit can begin. */
const ASCII = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return BEGIN.test(character) ? undefined : normalized(character);
});

/**
 * A text without the characters that encodings add. `starts` and `ends` contain, for each of its UTF-16 units, the
 * place in the original text.
 */
export interface NormalizedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Normalizes a text so that its encodings compare equal: letter case, line folding, JSON escapes, percent-encoding and
 * HTML entities. Two encodings of one text give the same result, with rare exceptions at the edges. Texts with the same
 * result have nearly the same meaning. Runs in linear time for every content.
 */
export function normalizedTextOf(text: string): NormalizedText {
  let normalizedText = '';
  const [starts, ends]: [number[], number[]] = [[], []];
  for (let at = 0, end = at; at < text.length; at = end) {
    let piece = ASCII[text.charCodeAt(at)];
    if (piece === undefined) {
      const [length, meaning] = unitAt(text, at);
      piece = normalized(meaning);
      end = at + length;
    } else {
      end = at + 1;
    }
    normalizedText += piece;
    // All characters that an encoded unit stands for have the place of that unit.
    for (let letter = 0; letter < piece.length; letter++) {
      starts.push(at);
      ends.push(end);
    }
  }
  return { text: normalizedText, starts, ends };
}

function normalized(text: string): string {
  return text.replaceAll(CHANGING, '').replaceAll('_', '/').toLowerCase();
}

/** The encoded unit or the character at a place: its length and its meaning. */
function unitAt(text: string, at: number): [length: number, meaning: string] {
  ENCODED.lastIndex = at;
  const match = ENCODED.exec(text);
  if (match) return [match[0].length, meaningOf(match[0], match.groups ?? {})];
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return [character.length, character];
}

function meaningOf(piece: string, groups: Readonly<Record<string, string | undefined>>): string {
  const { percent, unit, decimal, hex, entity } = groups;
  if (percent !== undefined) return Buffer.from(percent.replaceAll(/%(?:25)?/g, ''), 'hex').toString('utf8');
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
  if (decimal !== undefined) return fromCode(Number(decimal));
  if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
  if (entity !== undefined) return ENTITIES.get(entity.toLowerCase()) ?? '';
  return piece.startsWith('\\') ? '' : piece;
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

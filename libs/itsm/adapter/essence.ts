/**
 * Matches one unit of text: bytes that are percent-encoded once or twice, backslashes with an escape, an HTML entity,
 * letters and digits, or any other character.
 */
const PIECE =
  /(?<percent>(?:%(?:25)?[0-9a-f]{2})+)|\\+(?:u(?<unit>[0-9a-f]{4})|[nrtbf])?|&(?:#(?<decimal>\d{1,7})|#x(?<hex>[0-9a-f]{1,6})|(?<entity>amp|lt|gt|quot|apos|nbsp));|(?<plain>[a-z0-9]+)|./gisu;

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }));

/** Characters that are changed by line folding, by escaping, or by the variants of base64. */
const CHANGING = /[\s\p{Cc}\p{Cf}\\+\-=]/gu;

/**
 * A text without the characters that encodings add. `at` maps each of its UTF-16 units to its place in the original.
 */
export interface Essence {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Normalizes a text so that its encodings compare equal: any case, one line, JSON escapes, percent-encoding, HTML
 * entities. Two encodings of one text give the same result, with rare exceptions at the edges. Texts with the same
 * result say nearly the same. Runs in linear time, whatever the content.
 */
export function essenceOf(text: string): Essence {
  const [units, starts, ends]: [string[], number[], number[]] = [[], [], []];
  for (const match of text.matchAll(PIECE)) {
    const [piece] = match;
    const isPlain = match.groups?.['plain'] !== undefined;
    const meant = isPlain
      ? piece
      : meaningOf(piece, match.groups ?? {})
          .replaceAll(CHANGING, '')
          .replaceAll('_', '/');
    const lower = meant.toLowerCase();
    // Each letter of plain text has its own place. All letters of an encoded unit share the place of the unit.
    const isEach = isPlain && lower.length === piece.length;
    for (let at = 0; at < lower.length; at++) {
      units.push(lower.charAt(at));
      starts.push(match.index + (isEach ? at : 0));
      ends.push(isEach ? match.index + at + 1 : match.index + piece.length);
    }
  }
  return { text: units.join(''), starts, ends };
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

/** Maximum stored length of a resolution, in characters. */
export const RESOLUTION_MAX = 1_000;
/** Maximum stored length of notes, in characters. */
export const NOTES_MAX = 4_000;
/** Maximum stored length of the name of the person who changed a ticket, in characters. */
export const UPDATED_BY_MAX = 320;

const CUT = '…';
// Control characters except line feed and tab, bidirectional controls, and invisible characters.
const UNSEEN = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/gu;

/**
 * Converts a platform's text to one line: white space is collapsed, invisible characters are removed, and the end is
 * truncated between characters.
 */
export function lineOf(text: string, max: number): string {
  return cut(cleaned(text).replaceAll(/\s+/g, ' ').trim(), max);
}

/** The same, but keeps line breaks. */
export function linesOf(text: string, max: number): string {
  return cut(cleaned(text.replaceAll(/\r\n?/g, '\n')).trim(), max);
}

function cleaned(text: string): string {
  return text.toWellFormed().replaceAll(UNSEEN, unseen => (unseen === '\n' || unseen === '\t' ? unseen : ''));
}

/** Truncates by code points, as PostgreSQL counts, and adds a mark. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = Array.from(text);
  return points.length <= max
    ? text
    : points
        .slice(0, max - CUT.length)
        .join('')
        .trimEnd() + CUT;
}

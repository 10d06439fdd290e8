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
 * Converts a platform's text to one line. Collapses white space, removes invisible characters, and truncates the text
 * between two characters.
 */
export function lineOf(text: string, max: number): string {
  return cut(cleaned(text).replaceAll(/\s+/g, ' ').trim(), max);
}

/** Converts a platform's text in the same way, but keeps its line breaks. */
export function linesOf(text: string, max: number): string {
  return cut(cleaned(text.replaceAll(/\r\n?/g, '\n')).trim(), max);
}

function cleaned(text: string): string {
  return text.toWellFormed().replaceAll(UNSEEN, unseen => (unseen === '\n' || unseen === '\t' ? unseen : ''));
}

/** Truncates a text and adds a mark. Counts code points, like PostgreSQL. */
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

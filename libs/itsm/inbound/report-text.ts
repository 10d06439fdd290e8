/** Longest resolution that is kept, in characters. */
export const RESOLUTION_MAX = 1_000;
/** Longest notes that are kept, in characters. */
export const NOTES_MAX = 4_000;
/** Longest name of whoever changed a ticket, in characters. */
export const UPDATED_BY_MAX = 320;

const CUT = '…';
// Controls of C0 and C1 but for the line feed and the tab; what turns the direction of text, and what nobody can see.
const UNSEEN = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/gu;

/** One line of a platform's text: white space folded, without what cannot be seen or stored, cut at a whole character. */
export function lineOf(text: string, max: number): string {
  return cut(cleaned(text).replaceAll(/\s+/g, ' ').trim(), max);
}

/** The same with its lines kept. */
export function linesOf(text: string, max: number): string {
  return cut(cleaned(text.replaceAll(/\r\n?/g, '\n')).trim(), max);
}

function cleaned(text: string): string {
  return text.toWellFormed().replaceAll(UNSEEN, unseen => (unseen === '\n' || unseen === '\t' ? unseen : ''));
}

/** In code points, as PostgreSQL counts; what is cut shows that it was. */
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

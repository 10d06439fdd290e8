/** Formats of times in a file. Numeric times count from the origin. */
export const TIME_FORMATS = ['iso', 'milliseconds', 'seconds', 'minutes', 'hours', 'days'] as const;

/** One of {@link TIME_FORMATS}. */
export type TimeFormat = (typeof TIME_FORMATS)[number];

const UNIT_MS = { milliseconds: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(\.\d{1,9})?)?\s*(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Parses a time to Unix milliseconds. Null if the text is not a time. ISO times may have a space instead of the T, and
 * up to nine fractional digits, of which three are used. A time without a zone is in UTC.
 */
export function readTime(text: string, format: TimeFormat, originMs: number): number | null {
  if (format !== 'iso') {
    const count = text.trim() === '' ? Number.NaN : Number(text);
    return Number.isFinite(count) ? originMs + Math.round(count * UNIT_MS[format]) : null;
  }
  const match = ISO.exec(text.trim());
  if (!match) return null;
  const [, date, time = '00:00', fraction = '', zone = 'Z'] = match;
  const parsed = Date.parse(`${date}T${time.length === 5 ? `${time}:00` : time}${fraction.slice(0, 4)}${colon(zone)}`);
  return Number.isNaN(parsed) ? null : parsed;
}

function colon(zone: string): string {
  return zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
}

/** An invalid cell of a file. The message contains its place and the expected value. */
export class AnomalyFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AnomalyFileError';
  }
}

/** One row of the file with its line number and the cells of the known columns. */
export class Cells {
  constructor(
    readonly line: number,
    private readonly values: Readonly<Record<string, string>>,
  ) {}

  text(column: string): string {
    const text = this.values[column] ?? '';
    if (text === '') throw this.refusal(column, 'is empty');
    return text;
  }

  number(column: string): number {
    const text = this.text(column);
    const value = Number(text);
    if (!Number.isFinite(value)) throw this.refusal(column, `must be a number such as 12.5, not "${text}"`);
    return value;
  }

  count(column: string): number {
    const value = this.number(column);
    if (value < 0) throw this.refusal(column, `must be 0 or more, not "${this.text(column)}"`);
    return value;
  }

  /** An hour of the day. */
  hour(column: string): number {
    const value = this.number(column);
    if (Number.isInteger(value) && value >= 0 && value <= 23) return value;
    throw this.refusal(column, `must be a whole number from 0 to 23, not "${this.text(column)}"`);
  }

  /** Days since the epoch. */
  day(column: string): number {
    const text = this.text(column);
    const at = midnight(text);
    if (at !== null) return at / 86_400_000;
    throw this.refusal(column, `must be a date such as 2026-03-31, not "${text}"`);
  }

  /** Milliseconds since the epoch. A time without a zone is UTC. */
  instant(column: string): number {
    const text = this.text(column);
    const parts = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/.exec(text);
    const known = parts !== null && midnight(parts[1] ?? '') !== null;
    const at = known ? Date.parse(`${parts[1]}T${parts[2]}${parts[3] ?? 'Z'}`) : Number.NaN;
    if (!Number.isNaN(at)) return at;
    throw this.refusal(column, `must be a time such as 2026-03-31 14:05:00, not "${text}"`);
  }

  private refusal(column: string, problem: string): AnomalyFileError {
    return new AnomalyFileError(`line ${this.line}: ${column} ${problem}`);
  }
}

/**
 * The start of a date in UTC, or null if the date does not exist. `Date.parse` alone would read 30 February as a day in
 * March.
 */
function midnight(date: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date) ? at : null;
}

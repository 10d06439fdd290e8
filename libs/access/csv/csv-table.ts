import { stringify } from 'csv-stringify/sync';

/** The value of a cell. Money is a decimal text in a numeric column. */
export type CsvValue = string | number | bigint | null | undefined;

/** One column of a table. */
export interface CsvColumn<Row> {
  header: string;
  value(row: Row): CsvValue;
  /**
   * The column contains computed numbers, which are written unchanged. Otherwise a negative number would get an
   * apostrophe.
   */
  numeric?: boolean;
}

// Characters at the beginning of a cell that make spreadsheets evaluate it (OWASP, "CSV Injection"), including
// full-width variants and after spaces.
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/u;
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
// In some locales, spreadsheets split cells at these characters. Cells that contain them are quoted as well.
const QUOTE_ALSO = /[;\t|\r\n]|^\s|\s$/;

/** The text, with a leading apostrophe if a spreadsheet would evaluate it as a formula. */
export function formulaSafe(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/**
 * Writes tables as RFC 4180 (comma, CRLF, quotes where needed) with formula-safe cells. Call `header()` once and
 * `rows()` for each chunk of a stream. Both return texts that end with a line break.
 */
export class CsvTable<Row> {
  constructor(private readonly columns: readonly CsvColumn<Row>[]) {}

  /** The line of column names. */
  header(): string {
    return toLines([this.columns.map(column => column.header)]);
  }

  /** The lines of the given rows; an empty text if there are no rows. */
  rows(rows: readonly Row[]): string {
    return toLines(rows.map(row => this.columns.map(column => cellOf(column, row))));
  }
}

function cellOf<Row>(column: CsvColumn<Row>, row: Row): string {
  const value = column.value(row);
  const text = value === null || value === undefined ? '' : String(value);
  const isNumeric = column.numeric || typeof value === 'number';
  return isNumeric && PLAIN_NUMBER.test(text) ? text : formulaSafe(text);
}

function toLines(cells: string[][]): string {
  return stringify(cells, { record_delimiter: '\r\n', quoted_match: QUOTE_ALSO });
}

/** The values of one row of a table, by column name. */
export type Row = Readonly<Record<string, string>>;

/**
 * Creates a text from a row: `{session}@chat.example` contains the value of the column `session`. A text without braces
 * is constant.
 */
export type RowTemplate = (row: Row) => string;

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** @throws Error with the names of the existing columns, if the template contains the name of another column */
export function rowTemplate(text: string, columns: readonly string[]): RowTemplate {
  const parts = text.split(PLACEHOLDER);
  for (const column of parts.filter((_, index) => index % 2 === 1)) {
    if (!columns.includes(column)) {
      throw new Error(`there is no column {${column}}; the file has: ${columns.join(', ')}`);
    }
  }
  return row => parts.map((part, index) => (index % 2 === 1 ? (row[part] ?? '') : part)).join('');
}

/** The values of one row of a table, by column name. */
export type Row = Readonly<Record<string, string>>;

/** Makes a text from a row: `{session}@chat.example` takes the column `session`; a text without braces is constant. */
export type RowTemplate = (row: Row) => string;

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** @throws Error naming the existing columns, if the template names another one */
export function rowTemplate(text: string, columns: readonly string[]): RowTemplate {
  const parts = text.split(PLACEHOLDER);
  for (const column of parts.filter((_, index) => index % 2 === 1)) {
    if (!columns.includes(column)) {
      throw new Error(`there is no column {${column}}; the file has: ${columns.join(', ')}`);
    }
  }
  return row => parts.map((part, index) => (index % 2 === 1 ? (row[part] ?? '') : part)).join('');
}

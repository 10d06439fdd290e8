import pg from 'pg';
import { jest } from '@jest/globals';

/**
 * Records the text of every statement that this process sends to PostgreSQL. Values are parameters and are not
 * recorded.
 */
export function recordStatements(): { texts(): ReadonlySet<string>; stop(): void } {
  const spy = jest.spyOn(pg.Client.prototype, 'query');
  return { texts: () => new Set(spy.mock.calls.flatMap(([first]) => textOf(first))), stop: () => spy.mockRestore() };
}

/** Finds the text in the first argument of `query`, which is a text, an object with a text, or a cursor. */
function textOf(given: unknown): string[] {
  const text = typeof given === 'object' && given !== null && 'text' in given ? given.text : given;
  return typeof text === 'string' ? [text.replaceAll(/\s+/g, ' ').trim()] : [];
}

const READS_OR_CHANGES = /^(?:with|select|insert|update|delete|merge)\b/i;
const TEXTS = /'(?:[^']|'')*'/g;

/**
 * The statements that read or change a table of organizations without naming an organization: no condition `org_id =
 * …`, no join over it, and no inserted column.
 */
export function unnamedOrganization(statements: Iterable<string>, tables: ReadonlyMap<string, string>): string[] {
  return [...statements]
    .filter(text => READS_OR_CHANGES.test(text))
    .filter(text => {
      const plain = text.replaceAll('"', '').replaceAll(TEXTS, "''");
      const named = [...plain.matchAll(/\bgovernance\.([a-z_]+)\b/g)].map(([, table]) => table ?? '');
      const owners = new Set(named.map(table => tables.get(table) ?? '').filter(column => column !== ''));
      return [...owners].some(column => !names(plain, column));
    })
    .toSorted();
}

function names(text: string, column: string): boolean {
  const reference = `(?:\\w+\\.)?${column}\\b`;
  return [
    `${reference}\\s*(?:=|in\\b)`,
    `=\\s*${reference}`,
    `\\(\\s*${reference}[^()]*\\)\\s*(?:=|in\\b)`,
    `using\\s*\\([^()]*\\b${column}\\b`,
    `insert into [\\w.]+ (?:as \\w+ )?\\([^()]*\\b${column}\\b`,
  ].some(pattern => new RegExp(pattern, 'i').test(text));
}

const MARK = /^\/\* prepared ([a-z_]+) \*\//;

// PostgreSQL error codes, appendix A: invalid_sql_statement_name and duplicate_prepared_statement.
const LOST = new Set(['26000', '42P05']);
/** Function of PostgreSQL that reports a changed result type of a prepared statement, for example after a migration. */
const OUTDATED = 'RevalidateCachedQuery';

/**
 * Marks a frequent statement, so that each connection parses it only once. If a pooler does not keep prepared
 * statements, the statement is repeated unprepared, and the whole pool stops preparing. Within a transaction of this
 * package, the whole transaction is repeated.
 * @param name letters `a` to `z` and `_`; unique per text
 */
export function prepared(name: string, sql: string): string {
  return `/* prepared ${name} */ ${sql}`;
}

/** The name of a prepared statement; undefined if the statement is not marked. */
export function preparedName(sql: string): string | undefined {
  return MARK.exec(sql)?.[1];
}

/** Whether the statement was not executed, because the prepared statement is missing, outdated, or has another text. */
export function isLostStatement(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return LOST.has(String(Reflect.get(error, 'code'))) || Reflect.get(error, 'routine') === OUTDATED;
}

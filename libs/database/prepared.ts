const MARK = /^\/\* prepared ([a-z_]+) \*\//;

// PostgreSQL error codes, appendix A: invalid_sql_statement_name and duplicate_prepared_statement.
const LOST = new Set(['26000', '42P05']);
/** Where PostgreSQL finds that what a statement returns has changed since, as after a migration. */
const OUTDATED = 'RevalidateCachedQuery';

/**
 * Marks a statement that is made so often that PostgreSQL should parse it once per connection only. Where a pooler hands
 * connections around without regard for prepared statements, the statement is made once more, unprepared, and so is every
 * later one of the pool; within a transaction of ours all of that is done once more.
 * @param name letters of `a` to `z` and `_`; another one for each text
 */
export function prepared(name: string, sql: string): string {
  return `/* prepared ${name} */ ${sql}`;
}

/** The name with which a statement is marked. */
export function preparedName(sql: string): string | undefined {
  return MARK.exec(sql)?.[1];
}

/** Whether the statement was not made, because its connection does not know it as it is now, or knows another one of its name. */
export function isLostStatement(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return LOST.has(String(Reflect.get(error, 'code'))) || Reflect.get(error, 'routine') === OUTDATED;
}

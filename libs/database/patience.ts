const MARK = /^\/\* patience ([0-9]+) \*\//;

/** Time limit for statements of long reads, such as exports and simulations. */
export const LONG_READ_MS = 60_000;
/** Bound for statements that tidy tables up: partitions that come and go, rows that are too old. */
export const UPKEEP_MS = 600_000;

/**
 * The statement that gives the statements of a transaction so many milliseconds each, at the server and, because it is
 * marked, at the connection. It ends with the transaction, so a pooler in transaction mode does not carry it on.
 */
export function patience(milliseconds: number): string {
  return `/* patience ${milliseconds} */ select set_config('statement_timeout', '${milliseconds}', true)`;
}

/** The time limit in milliseconds that a statement sets for the transaction. */
export function patienceOf(sql: string): number | undefined {
  const [, milliseconds] = MARK.exec(sql) ?? [];
  return milliseconds === undefined ? undefined : Number(milliseconds);
}

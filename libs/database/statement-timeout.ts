const MARK = /^\/\* statement timeout ([0-9]+) \*\//;

/** Time limit for statements of long reads, such as exports and simulations. */
export const LONG_READ_MS = 60_000;
/** Time limit for maintenance statements, such as creating partitions and deleting old rows. */
export const UPKEEP_MS = 600_000;

/**
 * A statement that sets the statement timeout of a transaction in milliseconds. The client recognizes this statement
 * and adjusts its own timeout. The setting ends with the transaction, so that a pooler in transaction mode cannot pass
 * it to other transactions.
 */
export function statementTimeout(milliseconds: number): string {
  return `/* statement timeout ${milliseconds} */ select set_config('statement_timeout', '${milliseconds}', true)`;
}

/** The timeout in milliseconds that a statement of {@link statementTimeout} sets; undefined for other statements. */
export function statementTimeoutOf(sql: string): number | undefined {
  const [, milliseconds] = MARK.exec(sql) ?? [];
  return milliseconds === undefined ? undefined : Number(milliseconds);
}

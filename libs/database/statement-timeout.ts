const MARK = /^\/\* statement timeout ([0-9]+) \*\//;

/** Time limit for statements of long reads, such as exports and simulations. */
export const LONG_READ_MS = 60_000;
/** Time limit for maintenance statements, such as creating partitions and deleting old rows. */
export const UPKEEP_MS = 600_000;

/**
 * A statement that sets the statement timeout of a transaction in milliseconds. The client recognizes it and adjusts
 * its own timeout. It ends with the transaction, so a pooler in transaction mode does not leak it to others.
 */
export function statementTimeout(milliseconds: number): string {
  return `/* statement timeout ${milliseconds} */ select set_config('statement_timeout', '${milliseconds}', true)`;
}

/** The timeout in milliseconds that such a statement sets. */
export function statementTimeoutOf(sql: string): number | undefined {
  const [, milliseconds] = MARK.exec(sql) ?? [];
  return milliseconds === undefined ? undefined : Number(milliseconds);
}

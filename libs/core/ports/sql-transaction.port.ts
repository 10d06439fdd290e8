/** A running database transaction, independent of any ORM. */
export interface SqlTransaction {
  /** Runs one statement with `$1` parameters and returns its rows. */
  query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

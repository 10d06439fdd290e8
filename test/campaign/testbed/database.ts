import pg from 'pg';
import type { Chance } from '../../faults/processes/chance.js';

/** The database of a campaign, which fails and recovers. */
export interface Database {
  /** URL of its superuser. */
  readonly url: string;
  readonly faults: readonly DatabaseFault[];
  /** Faults that this database cannot have, each with the reason. */
  readonly skipped: readonly string[];
  /** Calls the function with the server's port, now and each time the server starts. */
  followed(onStart: (port: number) => void): void;
  /** Runs a statement with the rights of the superuser. */
  query<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

/** Causes the fault, and returns when the database answers again. */
export interface DatabaseFault {
  readonly name: string;
  /** @returns details of the fault, in addition to its name */
  run(chance: Chance): Promise<string | undefined>;
}

/** Runs a statement on a separate connection. */
export async function rowsOf<Row extends object>(url: string, sql: string, parameters: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, statement_timeout: 30_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

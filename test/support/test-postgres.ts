import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A separate database for one test file, on the server of the run. */
export interface TestDatabase {
  /** URL for the server's own role, which bypasses row-level security. Tests use it for setup and for tampering. */
  url: string;
  /** Runs a statement as the server's own role, without row-level security. */
  asOwner<Row extends object = Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** Creates an empty database, or a copy of the database `template` of this run. */
export async function createTestDatabase(template?: string): Promise<TestDatabase> {
  const server = serverUrl();
  const name = `governance_test_${randomBytes(6).toString('hex')}`;
  await onServer(server, `create database ${name}${template ? ` template ${template}` : ''}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const owner = new pg.Pool({ connectionString: url.href, max: 2 });
  owner.on('error', () => undefined);
  return {
    url: url.href,
    async asOwner<Row extends object>(sql: string, parameters: unknown[] = []) {
      return (await owner.query<Row>(sql, parameters)).rows;
    },
    async drop() {
      await owner.end();
      await onServer(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/** URL of the run's server. */
export function serverUrl(): string {
  const server = process.env['TEST_POSTGRES_URL'];
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: run the tests with npm test');
  return server;
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

import pg from 'pg';

/** A connection that runs statements. Hides the driver's types, so that hosts need not compile them. */
export interface StatementClient {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the columns of its own statement
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** Opens a separate connection for the work, and closes it afterwards. */
export async function withClient<T>(
  config: {
    connectionString: string;
    application_name?: string;
    connectionTimeoutMillis?: number;
    query_timeout?: number;
  },
  work: (client: StatementClient) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  // The error is ignored here, because the running statement also reports the loss of the connection.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work({
      query: async <Row extends object>(text: string, values?: unknown[]) => client.query<Row>(text, values),
    });
  } finally {
    await client.end();
  }
}

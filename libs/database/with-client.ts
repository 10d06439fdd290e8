import pg from 'pg';

/**
 * Runs work on a connection of its own, outside of the pool, and closes the connection afterwards. An error of the
 * connection rejects the statement under way.
 */
export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

import pg from 'pg';

/** pg's own words for a query that `query_timeout` gave up. */
const GIVEN_UP = 'Query read timeout';

const ROLLED_BACK = { command: 'ROLLBACK', rowCount: null, rows: [], fields: [], oid: 0 };

/**
 * Kysely 0.29 gives a transaction's connection back to the pool only after a ROLLBACK that worked. On a connection
 * that the server has closed it never does, and the pool loses a slot for good. There is nothing left to roll back
 * then: a failed ROLLBACK counts as done, and the pool discards the connection when it gets it back.
 *
 * A connection whose other end has vanished without a word, as after a failover, would hold its query for as long as
 * the kernel goes on sending: the query is given up after `query_timeout`, and the connection with it.
 */
export class ResilientClient extends pg.Client {
  // pg overloads query() nine ways; this one only looks at the first argument and hands all of them on.
  override query(...args: unknown[]): never {
    // oxlint-disable-next-line typescript/unbound-method -- bound by Reflect.apply, which takes a list of arguments as it is
    const result: unknown = Reflect.apply(super.query, this, args);
    if (!(result instanceof Promise)) return result as never;
    // A connection that did not answer once is not asked again: ended here, discarded by the pool.
    result.catch((error: unknown) => {
      if (error instanceof Error && error.message === GIVEN_UP) void this.end().catch(() => undefined);
    });
    return (args[0] === 'rollback' ? result.catch(() => ROLLED_BACK) : result) as never;
  }
}

import pg from 'pg';

const ROLLED_BACK = { command: 'ROLLBACK', rowCount: null, rows: [], fields: [], oid: 0 };

/**
 * Kysely 0.29 gives a transaction's connection back to the pool only after a ROLLBACK that worked. On a connection
 * that the server has closed it never does, and the pool loses a slot for good. There is nothing left to roll back
 * then: a failed ROLLBACK counts as done, and the pool discards the connection when it gets it back.
 */
export class ResilientClient extends pg.Client {
  // pg overloads query() nine ways; this one only looks at the first argument and hands all of them on.
  override query(...args: unknown[]): never {
    // oxlint-disable-next-line typescript/unbound-method -- bound by Reflect.apply, which takes a list of arguments as it is
    const result: unknown = Reflect.apply(super.query, this, args);
    const isRollback = args[0] === 'rollback' && result instanceof Promise;
    return (isRollback ? result.catch(() => ROLLED_BACK) : result) as never;
  }
}

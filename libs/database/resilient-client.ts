import pg from 'pg';

/**
 * Kysely 0.29 gives a transaction's connection back to the pool only after a ROLLBACK that worked. On a connection
 * that the server has closed it never does, and the pool loses a slot for good. There is nothing left to roll back
 * then: this client says so at once, and the pool discards it.
 */
export class ResilientClient extends pg.Client {
  private isLost = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.once('end', () => (this.isLost = true));
    this.once('error', () => (this.isLost = true));
  }

  // pg overloads query() nine ways; this one only looks at the first argument and hands all of them on.
  override query(...args: unknown[]): never {
    if (args[0] === 'rollback' && this.isLost) {
      return Promise.resolve({ command: 'ROLLBACK', rowCount: null, rows: [], fields: [], oid: 0 }) as never;
    }
    // oxlint-disable-next-line typescript/unbound-method -- bound by Reflect.apply, which takes a list of arguments as it is
    return Reflect.apply(super.query, this, args) as never;
  }
}

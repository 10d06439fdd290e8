import pg from 'pg';
import { isLostStatement, preparedName } from './prepared.js';
import { patienceOf } from './patience.js';

/** The error message of pg for a query that exceeded `query_timeout`. */
const GIVEN_UP = 'Query read timeout';

/** After so long without the server's word that a statement took too long, the connection counts as lost. */
export const ANSWER_GRACE_MS = 1_000;

const DONE = { command: '', rowCount: null, rows: [], fields: [], oid: 0 };
/** The protocol's status byte of a connection outside a transaction. */
const IDLE = 'I';
const BEGIN = /^(?:begin|start transaction)\b/;
const END = /^(?:commit|rollback)$/;

/** Whether the connections of one pool keep prepared statements. */
class Preparation {
  constructor(private isKept: boolean) {}

  get isOn(): boolean {
    return this.isKept;
  }

  /** Behind a pooler that hands connections around, all connections are alike: what one has lost, the others lose, too. */
  end(): void {
    this.isKept = false;
  }
}

/**
 * The client class of one pool: its connections learn together whether prepared statements are kept.
 * @param prepares whether statements are prepared until one is lost
 */
export function resilientClient(prepares: boolean): typeof ResilientClient {
  const preparation = new Preparation(prepares);
  return class extends ResilientClient {
    protected override readonly preparation = preparation;
  };
}

/**
 * Kysely 0.29 gives a transaction's connection back to the pool only after a ROLLBACK that worked. On a connection
 * that the server has closed it never does, and the pool loses a slot for good. There is nothing left to roll back
 * then: a failed ROLLBACK counts as done, and the pool discards the connection when it gets it back. A failed BEGIN it
 * does not give back either: that counts as done, too, on a connection that is ended, so that the first statement fails
 * in its place.
 *
 * A connection whose other end has vanished without a word, as after a failover, would hold its query for as long as
 * the kernel goes on sending: the query is given up after `query_timeout`, and the connection with it. That is later than
 * the server ends it by `statement_timeout`, also in a transaction that has a longer one (see {@link patience}).
 *
 * Statements that are marked as `prepared` are parsed once per connection, until one connection of the pool has lost one.
 */
export class ResilientClient extends pg.Client {
  protected readonly preparation = new Preparation(true);
  /** Time-out of statements until the transaction ends; undefined where it is the connection's. */
  private patienceMs: number | undefined;

  // pg overloads query() nine ways; this one only looks at the first argument and hands all of them on.
  override query(...args: unknown[]): never {
    const text = typeof args[0] === 'string' ? args[0] : '';
    const name = this.preparation.isOn ? preparedName(text) : undefined;
    if (name !== undefined) return this.queryPrepared(name, text, args.slice(1)) as never;
    if (END.test(text)) this.patienceMs = undefined;
    this.patienceMs = patienceOf(text) ?? this.patienceMs;
    // oxlint-disable-next-line typescript/unbound-method -- bound by Reflect.apply, which takes a list of arguments as it is
    const result: unknown = Reflect.apply(super.query, this, this.patienceMs === undefined ? args : this.patient(args));
    if (!(result instanceof Promise)) return result as never;
    // A connection that did not answer once is not asked again: ended here, discarded by the pool.
    result.catch((error: unknown) => {
      if (error instanceof Error && error.message === GIVEN_UP) void this.end().catch(() => undefined);
    });
    if (text === 'rollback') return result.catch(() => DONE) as never;
    return (BEGIN.test(text) ? result.catch(() => this.failNext()) : result) as never;
  }

  /** Adds the transaction's timeout to a statement. */
  private patient([statement, values, ...rest]: unknown[]): unknown[] {
    const timeout = { query_timeout: (this.patienceMs ?? 0) + ANSWER_GRACE_MS };
    if (typeof statement === 'string') return [{ text: statement, values, ...timeout }, ...rest];
    const isPlain = typeof statement === 'object' && statement !== null && !('submit' in statement);
    return [isPlain ? { ...statement, ...timeout } : statement, values, ...rest];
  }

  private queryPrepared(name: string, text: string, [values]: unknown[]): Promise<unknown> {
    const made: Promise<unknown> = this.query({ name, text, values });
    return made.catch((error: unknown) => {
      if (!isLostStatement(error)) throw error;
      this.preparation.end();
      // Within a transaction, which has failed with it, whoever began the transaction begins anew.
      if (this.getTransactionStatus() !== IDLE) throw error;
      return this.query(text, values);
    });
  }

  /** Nothing may run as if it were in the transaction that did not begin. */
  private failNext(): typeof DONE {
    void this.end().catch(() => undefined);
    return DONE;
  }
}

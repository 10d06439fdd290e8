import pg from 'pg';
import { isLostStatement, preparedName } from './prepared.js';
import { statementTimeoutOf } from './statement-timeout.js';

/** The error message of pg after `query_timeout`. */
const GIVEN_UP = 'Query read timeout';

/**
 * If the server has not canceled a statement this many milliseconds after its timeout, the connection counts as lost.
 */
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

  /** Behind a pooler, a statement that one connection has lost may be missing on every other connection too. */
  end(): void {
    this.isKept = false;
  }
}

/**
 * The client class of one pool. All connections of the pool share the setting whether statements are prepared.
 * @param prepares whether to prepare statements until a connection loses one
 */
export function resilientClient(prepares: boolean): typeof ResilientClient {
  const preparation = new Preparation(prepares);
  return class extends ResilientClient {
    protected override readonly preparation = preparation;
  };
}

/**
 * Works around three problems. First: Kysely 0.29 returns a transaction's connection to the pool only after a
 * successful ROLLBACK. On a closed connection ROLLBACK always fails, and the pool would lose a slot forever. A failed
 * ROLLBACK is therefore reported as successful; the pool then discards the connection. Second: Kysely does not return a
 * connection after a failed BEGIN either. A failed BEGIN is therefore reported as successful, but the connection is
 * ended, so that the first statement fails instead. Third: if the server has vanished, as after a failover, a query
 * would hang as long as the kernel retransmits. The query therefore fails after `query_timeout`, and the connection is
 * closed. This is later than `statement_timeout`, also in transactions with a longer timeout (see {@link
 * statementTimeout}). In addition, statements that are marked as `prepared` are parsed once per connection, until a
 * connection of the pool loses one.
 */
export class ResilientClient extends pg.Client {
  protected readonly preparation = new Preparation(true);
  /** Statement timeout that applies until the transaction ends; undefined for the connection's default. */
  private statementTimeoutMs: number | undefined;

  // pg declares nine overloads of query(). This override inspects only the first argument, and passes all arguments on.
  override query(...args: unknown[]): never {
    const text = typeof args[0] === 'string' ? args[0] : '';
    const name = this.preparation.isOn ? preparedName(text) : undefined;
    if (name !== undefined) return this.queryPrepared(name, text, args.slice(1)) as never;
    if (END.test(text)) this.statementTimeoutMs = undefined;
    this.statementTimeoutMs = statementTimeoutOf(text) ?? this.statementTimeoutMs;
    const timed = this.statementTimeoutMs === undefined ? args : this.withTimeout(args);
    // oxlint-disable-next-line typescript/unbound-method -- bound by Reflect.apply, which takes a list of arguments as it is
    const result: unknown = Reflect.apply(super.query, this, timed);
    if (!(result instanceof Promise)) return result as never;
    // If a connection has not responded in time, it must not be used again. It is ended here, and the pool discards it.
    result.catch((error: unknown) => {
      if (error instanceof Error && error.message === GIVEN_UP) void this.end().catch(() => undefined);
    });
    if (text === 'rollback') return result.catch(() => DONE) as never;
    return (BEGIN.test(text) ? result.catch(() => this.failNext()) : result) as never;
  }

  /** Adds the transaction's timeout to a statement. */
  private withTimeout([statement, values, ...rest]: unknown[]): unknown[] {
    const timeout = { query_timeout: (this.statementTimeoutMs ?? 0) + ANSWER_GRACE_MS };
    if (typeof statement === 'string') return [{ text: statement, values, ...timeout }, ...rest];
    const isPlain = typeof statement === 'object' && statement !== null && !('submit' in statement);
    return [isPlain ? { ...statement, ...timeout } : statement, values, ...rest];
  }

  private queryPrepared(name: string, text: string, [values]: unknown[]): Promise<unknown> {
    const made: Promise<unknown> = this.query({ name, text, values });
    return made.catch((error: unknown) => {
      if (!isLostStatement(error)) throw error;
      this.preparation.end();
      // Within a transaction, the failed statement has aborted the transaction. The caller must repeat the whole
      // transaction.
      if (this.getTransactionStatus() !== IDLE) throw error;
      return this.query(text, values);
    });
  }

  /** After a failed BEGIN, statements would run outside a transaction. The connection is ended so that none can run. */
  private failNext(): typeof DONE {
    void this.end().catch(() => undefined);
    return DONE;
  }
}

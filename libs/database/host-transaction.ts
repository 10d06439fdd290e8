import {
  CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type ControlledTransaction,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely';
import type { SqlTransaction } from '#core';

/**
 * An `EntityManager` of MikroORM 7 inside a transaction. The type is structural, because the host may have installed
 * another version of MikroORM than this package.
 */
export interface HostEntityManager {
  getTransactionContext(): unknown;
}

/**
 * A running transaction of the host. Provide either `em` or `tx`. This package neither commits it nor rolls it back.
 */
export interface HostTransaction {
  /** The EntityManager of a MikroORM transaction. */
  em?: HostEntityManager;
  /** A function that runs a statement in the transaction, for any other ORM or driver. */
  tx?: SqlTransaction;
}

/**
 * The host's transaction as plain SQL; undefined if the options contain no transaction.
 * @throws Error if `em` is outside a transaction, or both `em` and `tx` are given
 */
export function hostSql({ em, tx }: HostTransaction): SqlTransaction | undefined {
  if (!em) return tx;
  if (tx) throw new Error('em, tx: give one of the two; both name the transaction to work in.');
  const context = em.getTransactionContext();
  if (!runsQueries(context)) {
    throw new Error('em: is in no transaction of MikroORM 7; pass what `em.transactional(…)` hands to your function.');
  }
  return {
    async query<Row extends object>(sql: string, parameters: readonly unknown[] = []) {
      // The statement determines the returned columns, so the caller knows the type.
      return (await context.executeQuery(CompiledQuery.raw(sql, [...parameters]))).rows as Row[];
    },
  };
}

/** Whether this is a transaction of Kysely, which MikroORM 7 uses. */
function runsQueries(
  context: unknown,
): context is { executeQuery(query: CompiledQuery): Promise<{ rows: unknown[] }> } {
  return typeof context === 'object' && context !== null && 'executeQuery' in context;
}

/** A Kysely transaction that runs its statements in the host's transaction. This package's EntityManager uses it. */
export function kyselyOver(tx: SqlTransaction): Promise<ControlledTransaction<unknown>> {
  const connection = new HostConnection(tx);
  const kysely = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: db => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: nothing,
        acquireConnection: () => Promise.resolve(connection),
        // Does nothing, because the host begins and ends the transaction.
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        releaseConnection: nothing,
        destroy: nothing,
      }),
    },
  });
  return kysely.startTransaction().execute();
}

class HostConnection implements DatabaseConnection {
  constructor(private readonly tx: SqlTransaction) {}

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const rows: unknown = await this.tx.query(sql, parameters);
    if (!Array.isArray(rows) || !rows.every(isRow)) {
      throw new TypeError('tx.query: must return the rows of the statement as an array of objects.');
    }
    // PostgreSQL returns the columns that the statement names.
    return { rows: rows.map(alike) as Row[] };
  }

  // oxlint-disable-next-line require-yield -- the interface wants a generator
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('A transaction of the host cannot stream.');
  }
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

function isRow(row: unknown): row is object {
  return typeof row === 'object' && row !== null && !Array.isArray(row);
}

/**
 * Makes rows equal, because ORMs parse some types differently. Converts times to ISO texts, large numbers to texts, and
 * bytes to Buffers.
 */
function alike(row: object): object {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, alikeValue(value)]));
}

function alikeValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value);
  return typeof value === 'bigint' ? value.toString() : value;
}

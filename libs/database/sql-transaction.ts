import { CompiledQuery } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SqlTransaction } from '#core';

/** The transaction of an EntityManager. */
class EntityManagerTransaction implements SqlTransaction {
  constructor(readonly em: EntityManager) {}

  async query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const result = await this.em.getKysely().executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]));
    return result.rows;
  }
}

/**
 * Runs statements with `$1` parameters in the transaction of an EntityManager. The EntityManager may belong to this
 * package or to the host.
 */
export function sqlOf(em: EntityManager): SqlTransaction {
  return new EntityManagerTransaction(em);
}

/**
 * The EntityManager of a transaction. For implementations of ports that receive only the transaction.
 * @throws Error if {@link sqlOf} did not create the transaction
 */
export function emOf(tx: SqlTransaction): EntityManager {
  if (tx instanceof EntityManagerTransaction) return tx.em;
  throw new Error(
    'This transaction has no EntityManager, so no event can commit with it: pass what sqlOf(em) returns.',
  );
}

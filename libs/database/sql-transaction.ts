import { CompiledQuery } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SqlTransaction } from '#core';

const managers = new WeakMap<SqlTransaction, EntityManager>();

/** Statements with `$1` parameters inside the transaction of an EntityManager, ours or a host's. */
export function sqlOf(em: EntityManager): SqlTransaction {
  const tx: SqlTransaction = {
    async query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
      const result = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]));
      return result.rows;
    },
  };
  managers.set(tx, em);
  return tx;
}

/** The EntityManager behind a transaction that {@link sqlOf} made: for ports that show the transaction alone. */
export function emOf(tx: SqlTransaction): EntityManager | undefined {
  return managers.get(tx);
}

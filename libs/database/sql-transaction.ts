import { CompiledQuery } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SqlTransaction } from '#core';

/** Statements with `$1` parameters inside the transaction of an EntityManager, ours or a host's. */
export function sqlOf(em: EntityManager): SqlTransaction {
  return {
    async query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
      const result = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]));
      return result.rows;
    },
  };
}

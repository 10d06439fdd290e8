import type { Decision, Governance, SqlTransaction } from 'nest-llm-governance';
import type { DataSource, QueryRunner } from 'typeorm';
import type { Order } from './order.js';

/** The transaction of a QueryRunner, which is `manager.queryRunner` inside `dataSource.transaction(…)`. */
export function sqlTransaction(runner: QueryRunner): SqlTransaction {
  return {
    // With `true`, the rows of every statement are in the same property.
    query: async (sql, parameters = []) => (await runner.query(sql, [...parameters], true)).records,
  };
}

/** Decides, reports usage and stores an order in one transaction. */
export async function book(dataSource: DataSource, governance: Governance, order: Order): Promise<Decision> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    const tx = sqlTransaction(runner);
    const decision = await governance.decide(order.orgId, order.request, { tx });
    await governance.recordUsage(order.orgId, [order.usage], { tx });
    await runner.query('insert into orders (id) values ($1)', [order.id]);
    await runner.commitTransaction();
    return decision;
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  } finally {
    await runner.release();
  }
}

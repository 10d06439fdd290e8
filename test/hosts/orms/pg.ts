import type { Decision, Governance, SqlTransaction } from 'nest-llm-governance';
import type { ClientBase, Pool } from 'pg';
import type { Order } from './order.js';

/** The transaction of a client. Never pass a pool: each of its statements may run on another connection. */
export function sqlTransaction(client: ClientBase): SqlTransaction {
  return { query: async (sql, parameters = []) => (await client.query(sql, [...parameters])).rows };
}

/** Decides, reports usage and stores an order in one transaction. */
export async function book(pool: Pool, governance: Governance, order: Order): Promise<Decision> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const tx = sqlTransaction(client);
    const decision = await governance.decide(order.orgId, order.request, { tx });
    await governance.recordUsage(order.orgId, [order.usage], { tx });
    await client.query('insert into orders (id) values ($1)', [order.id]);
    await client.query('commit');
    return decision;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

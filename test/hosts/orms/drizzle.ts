import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Decision, Governance, SqlTransaction } from 'nest-llm-governance';
import type { Order } from './order.js';

/** A Drizzle transaction. Its `sql` numbers the parameters itself. */
export function sqlTransaction(tx: Pick<NodePgDatabase, 'execute'>): SqlTransaction {
  return {
    async query<Row extends object>(text: string, parameters: readonly unknown[] = []) {
      const parts = text.split(/\$(\d+)/).map((part, at) => {
        return at % 2 === 0 ? sql.raw(part) : sql.param(parameters[Number(part) - 1]);
      });
      // The rows have the columns of the statement.
      return (await tx.execute(sql.join(parts))).rows as object[] as Row[];
    },
  };
}

/** Decides, reports usage and stores an order in one transaction. */
export function book(db: NodePgDatabase, governance: Governance, order: Order): Promise<Decision> {
  return db.transaction(async drizzle => {
    const tx = sqlTransaction(drizzle);
    const decision = await governance.decide(order.orgId, order.request, { tx });
    await governance.recordUsage(order.orgId, [order.usage], { tx });
    await drizzle.execute(sql`insert into orders (id) values (${order.id})`);
    return decision;
  });
}

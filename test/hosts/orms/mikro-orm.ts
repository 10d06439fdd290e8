import type { EntityManager } from '@mikro-orm/postgresql';
import type { Decision, Governance } from 'nest-llm-governance';
import type { Order } from './order.js';

/** Decides, reports usage and stores an order in one transaction. */
export function book(em: EntityManager, governance: Governance, order: Order): Promise<Decision> {
  return em.fork().transactional(async em => {
    const decision = await governance.decide(order.orgId, order.request, { em });
    await governance.recordUsage(order.orgId, [order.usage], { em });
    await em
      .getConnection()
      .execute('insert into orders (id) values (?)', [order.id], 'run', em.getTransactionContext());
    return decision;
  });
}

import type { Decision, Governance, SqlTransaction } from 'nest-llm-governance';
import type { Prisma, PrismaClient } from './prisma-client/client.ts';
import type { Order } from './order.js';

/** An interactive transaction of Prisma. */
export function sqlTransaction(client: Prisma.TransactionClient): SqlTransaction {
  return { query: (sql, parameters = []) => client.$queryRawUnsafe(sql, ...parameters) };
}

/** Decides, reports usage and stores an order in one transaction. */
export function book(prisma: PrismaClient, governance: Governance, order: Order): Promise<Decision> {
  return prisma.$transaction(async client => {
    const tx = sqlTransaction(client);
    const decision = await governance.decide(order.orgId, order.request, { tx });
    await governance.recordUsage(order.orgId, [order.usage], { tx });
    await client.$executeRaw`insert into orders (id) values (${order.id})`;
    return decision;
  });
}

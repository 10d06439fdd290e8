import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Governance, type UsageEventInput } from 'nest-llm-governance';

/** Some data of the host. */
export type Order = object;

/** Stores an order together with the cost of the model call for it. */
@Injectable()
export class Orders {
  constructor(
    private readonly governance: Governance,
    private readonly em: EntityManager,
  ) {}

  async finish(orgId: string, order: Order, event: UsageEventInput): Promise<void> {
    await this.em.fork().transactional(async em => {
      em.persist(order);
      await this.governance.recordUsage(orgId, [event], { em });
    });
  }
}

import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Governance, type UsageEventInput } from 'nest-llm-governance';

/** Whatever the host keeps. */
export type Order = object;

/** Books what a model call has cost together with the order that it was made for. */
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

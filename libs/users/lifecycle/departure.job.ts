import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { JobHandler, OutboxWorker, type Outcome, type Task } from '#outbox';
import { User } from '../user.entity.js';
import { DEPARTURE_QUEUE } from './departure-task.js';
import { OffboardingService } from './offboarding.service.js';

/**
 * Runs a planned offboarding when it is due, on one replica. If no replica is running then, it runs at the next start.
 * The user's record is authoritative: the task of a cancelled or postponed plan does nothing.
 */
@Injectable()
export class DepartureJob extends JobHandler<Date, null> implements OnModuleInit {
  readonly name = DEPARTURE_QUEUE;
  override readonly slots = 4;

  constructor(
    private readonly worker: OutboxWorker,
    private readonly offboarding: OffboardingService,
    private readonly clock: Clock,
  ) {
    super();
  }

  onModuleInit(): void {
    this.worker.addJob(this);
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Date>> {
    const users = await em.find(User, { orgId, id: { $in: tasks.map(({ id }) => id) } });
    return new Map(users.flatMap(user => (user.isLeaving && user.departsAt ? [[user.id, user.departsAt]] : [])));
  }

  async perform({ orgId, id }: Task, departsAt: Date): Promise<Outcome<null>> {
    const waitMs = departsAt.getTime() - this.clock.now().getTime();
    // The task is early if this machine's clock is behind the clock of the machine that planned it.
    if (waitMs > 0) return { againAfterMs: waitMs, answered: true, result: null };
    await this.offboarding.carryOut(orgId, id);
    return { againAfterMs: null, answered: true, result: null };
  }

  /** Does nothing, because perform() has already committed the change and can safely run again. */
  async settle(): Promise<void> {}
}

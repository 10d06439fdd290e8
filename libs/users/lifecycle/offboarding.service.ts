import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { operatorActor, OrganizationService, type Actor } from '#access';
import { BadRequestError, Clock, ForbiddenError } from '#core';
import { ChangeFeed, SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { User } from '../user.entity.js';
import { UserService } from '../user.service.js';
import { USERS_TOPIC } from '../users.topic.js';
import { departureDateDefect, instantOfDeparture, isDay } from './departure.js';
import { departureTask } from './departure-task.js';

/** How somebody is offboarded. */
export interface OffboardingRequest {
  /** `YYYY-MM-DD` in the organization's calendar, or an instant. Missing, or come already: at once. */
  departureDate?: string | undefined;
  /** In a person's words; told with `user_locked_out`. */
  reason?: string | undefined;
  /** Whether the machine tokens that the user made are revoked when access ends. Default: false. */
  revokeMachineTokens?: boolean | undefined;
}

/** Time zones are less than two days apart: what was to come before then has come in each of them. */
const TWO_DAYS_MS = 2 * 86_400_000;

const TIME_ZONE = `select time_zone from ${SCHEMA}.organizations where id = $1`;

/**
 * Takes LLM access from people who leave: at once, or when their departure has come. What is planned stands in the user
 * and has a task that is due then; whoever carries the task out looks at the user again, so that one that is out of date
 * does nothing, and one that comes twice does it once.
 */
@Injectable()
export class OffboardingService implements OnModuleInit {
  constructor(
    private readonly users: UserService,
    private readonly organizations: OrganizationService,
    private readonly changes: ChangeFeed,
    private readonly queue: TaskQueue,
    private readonly clock: Clock,
  ) {}

  /** Days of departures begin elsewhere when the organization takes another time zone. */
  onModuleInit(): void {
    this.organizations.onUpdate(async (em, orgId, before, after) => {
      if (before.timeZone !== after.timeZone) await this.moveDepartures(em, orgId, after.timeZone);
    });
  }

  /**
   * Offboards a user at once, or plans to. A new date replaces one that was planned before.
   * @throws ForbiddenError where machine tokens shall be revoked and the actor may not revoke tokens
   * @throws BadRequestError for a date that does not exist, UserNotFoundError, UserTransitionError where the user is
   *   offboarded already
   */
  async offboard(actor: Actor, id: string, request: OffboardingRequest = {}): Promise<User> {
    const { departureDate, reason, revokeMachineTokens = false } = request;
    if (revokeMachineTokens && !actor.scopes.has('tokens:write')) {
      throw new ForbiddenError('To revoke machine tokens, you need the scope tokens:write.');
    }
    const defect = departureDate === undefined ? undefined : departureDateDefect(departureDate);
    if (defect) throw BadRequestError.field('departure_date', defect);
    return this.users.change(actor, id, {
      action: user => (user.isLeaving ? 'user.offboarding_planned' : 'user.suspended'),
      apply: async (user, now, em) => {
        // Read after the mark is raised: a change of the time zone comes wholly before this or wholly after.
        const at = departureDate === undefined ? null : await this.instantOf(em, actor.orgId, departureDate);
        const departure = { date: departureDate ?? null, at, reason: reason ?? null };
        user.offboard({ ...departure, endsMachineTokens: revokeMachineTokens }, now);
        await this.schedule(em, user, now);
        return true;
      },
    });
  }

  /** Gives up an offboarding that is planned. @throws UserNotFoundError, UserTransitionError where none is. */
  cancel(actor: Actor, id: string): Promise<User> {
    return this.users.change(actor, id, {
      action: 'user.offboarding_cancelled',
      apply(user, now) {
        user.stay(now);
        return true;
      },
    });
  }

  /** Carries out what was planned for a user, where its time has come; changes nothing otherwise. May repeat. */
  async carryOut(orgId: string, id: string): Promise<void> {
    await this.users.change(operatorActor(orgId, 'planned offboarding'), id, {
      action: 'user.suspended',
      apply: (user, now) => user.leave(now),
    });
  }

  private async instantOf(em: EntityManager, orgId: string, date: string): Promise<Date> {
    const [organization] = await sqlOf(em).query<{ time_zone: string }>(TIME_ZONE, [orgId]);
    const at = instantOfDeparture(date, organization?.time_zone ?? 'UTC');
    if (!at) throw new Error(`The departure date ${date} was checked and does not exist.`);
    return at;
  }

  private async schedule(em: EntityManager, user: User, now: Date): Promise<void> {
    if (!user.isLeaving || user.departsAt === null) return;
    await this.queue.schedule(em, user.orgId, departureTask(user), user.departsAt.getTime() - now.getTime());
  }

  private async moveDepartures(em: EntityManager, orgId: string, timeZone: string): Promise<void> {
    const changeVersion = await this.changes.mark(em, orgId, USERS_TOPIC);
    const now = this.clock.now();
    const departsAt = { $gt: new Date(now.getTime() - TWO_DAYS_MS) };
    const leaving = await em.find(User, { orgId, departsAt }, { orderBy: { id: 'asc' } });
    for (const user of leaving) {
      if (!user.isLeaving || user.departureDate === null || !isDay(user.departureDate)) continue;
      const at = instantOfDeparture(user.departureDate, timeZone);
      if (!at || !user.moveDeparture(at, now)) continue;
      user.changeVersion = changeVersion;
      await this.schedule(em, user, now);
    }
    await em.flush();
  }
}

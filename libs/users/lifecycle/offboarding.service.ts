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

/** Input of an offboarding. */
export interface OffboardingRequest {
  /**
   * `YYYY-MM-DD` in the organization's calendar, or an instant. If the date is missing or in the past, the offboarding
   * is immediate.
   */
  departureDate?: string | undefined;
  /** Reason in free text; sent with `user_locked_out`. */
  reason?: string | undefined;
  /** Whether to revoke the machine tokens that the user created, at the time of the departure. Default: false. */
  revokeMachineTokens?: boolean | undefined;
}

/**
 * Time zones differ by less than two days. Therefore, a day that begins two days ago in UTC has begun in every zone.
 */
const TWO_DAYS_MS = 2 * 86_400_000;

const TIME_ZONE = `select time_zone from ${SCHEMA}.organizations where id = $1`;

/**
 * Revokes the LLM access of users who leave, immediately or at their departure date. The plan is stored with the user,
 * and a task runs at that time. The task reads the user again: an outdated task does nothing, and a repeated task has
 * no second effect.
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

  /** When the organization changes its time zone, the days of planned departures begin at other instants. */
  onModuleInit(): void {
    this.organizations.onUpdate(async (em, orgId, before, after) => {
      if (before.timeZone !== after.timeZone) await this.moveDepartures(em, orgId, after.timeZone);
    });
  }

  /**
   * Offboards a user immediately, or plans it. A new date replaces an earlier plan.
   * @throws ForbiddenError if the request revokes machine tokens and the actor may not
   * @throws BadRequestError for a date that does not exist, UserNotFoundError, UserTransitionError if the user is
   * already offboarded
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
        // Reads the time zone after the version is incremented. A concurrent change of the time zone is then either
        // complete or has not begun.
        const at = departureDate === undefined ? null : await this.instantOf(em, actor.orgId, departureDate);
        const departure = { date: departureDate ?? null, at, reason: reason ?? null };
        user.offboard({ ...departure, endsMachineTokens: revokeMachineTokens }, now);
        await this.schedule(em, user, now);
        return true;
      },
    });
  }

  /**
   * Cancels a planned offboarding.
   * @throws UserNotFoundError, UserTransitionError if none is planned
   */
  cancel(actor: Actor, id: string): Promise<User> {
    return this.users.change(actor, id, {
      action: 'user.offboarding_cancelled',
      apply(user, now) {
        user.stay(now);
        return true;
      },
    });
  }

  /** Carries out a user's planned offboarding if its time has come. Safe to repeat. */
  async carryOut(orgId: string, id: string): Promise<void> {
    await this.users.change(operatorActor(orgId, 'planned offboarding'), id, {
      action: 'user.suspended',
      apply: (user, now) => user.leave(now),
    });
  }

  private async instantOf(em: EntityManager, orgId: string, date: string): Promise<Date> {
    const [organization] = await sqlOf(em).query<{ time_zone: string }>(TIME_ZONE, [orgId]);
    const at = instantOfDeparture(date, organization?.time_zone ?? 'UTC');
    if (!at) throw new Error(`The departure date ${date} passed its check but does not exist.`);
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

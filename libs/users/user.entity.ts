// Longer than most files: a user's transitions and the state that they guard belong together.
import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { canonicalJson, type JsonObject, type UserStatus } from '#core';
import { emailKey } from './email-address.js';
import type { Departure } from './lifecycle/departure.js';
import { UserTransitionError } from './user.errors.js';

/** Why LLM access was revoked. Only the cause that suspended a user can lift its suspension. */
export type SuspensionCause = 'offboarding' | 'scim';

/** What an organization says about a person. Values are checked at the doors. */
export interface UserProfile {
  email: string;
  name: string;
  department: string | null;
  role: string;
  attributes: JsonObject;
}

/** Role of a user for whom the organization names none. */
export const DEFAULT_USER_ROLE = 'member';

const LIFTED_BY: Record<SuspensionCause, string> = {
  offboarding: 'reinstate the user',
  scim: 'activate the user at the identity provider',
};

const NO_DEPARTURE: Departure = { date: null, at: null, reason: null };

/** A person of an organization. */
@Entity({ tableName: 'users', schema: 'governance' })
export class User {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  /** As given, without blanks around it. */
  @Property({ type: 'text' })
  email!: string;

  /** The address without case; unique within the organization. */
  @Property({ type: 'text' })
  emailKey!: string;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text', nullable: true })
  department!: string | null;

  /** Role in the organization, in the organization's own words; not a role of this service's access tokens. */
  @Property({ type: 'text' })
  role!: string;

  @Property({ type: 'text' })
  status!: UserStatus;

  /** Every cause that holds at present; empty unless suspended. */
  @Property({ type: 'text[]' })
  suspensionCauses!: SuspensionCause[];

  @Property({ type: 'timestamptz', nullable: true })
  suspendedAt!: Date | null;

  /** When the user leaves or has left, as it was given: a day of the organization's calendar, or an instant. */
  @Property({ type: 'text', nullable: true })
  departureDate!: string | null;

  /** The instant of {@link departureDate}. */
  @Property({ type: 'timestamptz', nullable: true })
  departsAt!: Date | null;

  /** Why the user leaves or has left, in the words of whoever said so. */
  @Property({ type: 'text', nullable: true })
  departureReason!: string | null;

  /** Whether the machine tokens that the user made are revoked with the user's access. */
  @Property({ type: 'boolean' })
  departureEndsMachineTokens!: boolean;

  /** The organization's own attributes; one level deep. */
  @Property({ type: 'json' })
  attributes!: JsonObject;

  /** Written by usage ingestion only, with SQL of its own. */
  @Property({ type: 'timestamptz', nullable: true })
  lastActiveAt!: Date | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** Mark of the topic `users` at the last change, so that a directory in memory can ask for what is newer. */
  @Property({ type: new BigIntType('number') })
  changeVersion!: number;

  /** A user who is new in the organization. */
  static create(orgId: string, id: string, profile: UserProfile, status: 'active' | 'inactive', now: Date): User {
    const user = new User();
    Object.assign(user, { orgId, id, status, suspensionCauses: [], suspendedAt: null, lastActiveAt: null });
    user.setDeparture(NO_DEPARTURE);
    user.describe(profile);
    user.createdAt = now;
    user.updatedAt = now;
    return user;
  }

  /** Changes what is supplied; whether that differs from what was there. */
  change(profile: Partial<UserProfile>, now: Date): boolean {
    const before = canonicalJson(this.profile());
    this.describe(profile);
    if (canonicalJson(this.profile()) === before) return false;
    this.updatedAt = now;
    return true;
  }

  /**
   * Moves between active and inactive; the present status is no move. Whether the status has changed.
   * @throws UserTransitionError where suspension is involved: it has a cause and its own ways in and out.
   */
  changeStatus(to: UserStatus, now: Date): boolean {
    if (to === this.status) return false;
    if (to === 'suspended') {
      throw UserTransitionError.field('status', `cannot be set to suspended; offboard the user instead`);
    }
    if (this.status === 'suspended') {
      throw UserTransitionError.field('status', `cannot leave suspended this way; ${this.wayOut()} instead`);
    }
    this.status = to;
    this.updatedAt = now;
    return true;
  }

  /**
   * Revokes LLM access. A user suspended already stays so, now by one cause more.
   * @throws UserTransitionError where the same cause holds already.
   */
  suspend(cause: SuspensionCause, now: Date): void {
    this.refuseSecond(cause);
    this.suspensionCauses = [...this.suspensionCauses, cause];
    this.suspendedAt ??= now;
    this.status = 'suspended';
    this.updatedAt = now;
  }

  /** Whether the machine tokens that the user made end, because an offboarding that says so has been carried out. */
  get endsMachineTokens(): boolean {
    return this.departureEndsMachineTokens && this.suspensionCauses.includes('offboarding');
  }

  /** Whether an offboarding is planned and has not been carried out. */
  get isLeaving(): boolean {
    return this.departsAt !== null && !this.suspensionCauses.includes('offboarding');
  }

  /**
   * Offboards at once, or plans to where the departure lies ahead. What was planned before is replaced.
   * @throws UserTransitionError where the user is offboarded already.
   */
  offboard(departure: Departure, now: Date): void {
    this.refuseSecond('offboarding');
    this.setDeparture(departure);
    this.updatedAt = now;
    if (departure.at === null || departure.at <= now) this.suspend('offboarding', now);
  }

  /** Carries a planned offboarding out where its time has come; whether it has. */
  leave(now: Date): boolean {
    if (!this.isLeaving || this.departsAt === null || this.departsAt > now) return false;
    this.suspend('offboarding', now);
    return true;
  }

  /** Puts a planned offboarding to another instant: its day begins at another time. Whether that is one. */
  moveDeparture(at: Date, now: Date): boolean {
    if (this.departsAt?.getTime() === at.getTime()) return false;
    this.departsAt = at;
    this.updatedAt = now;
    return true;
  }

  /** Gives a planned offboarding up. @throws UserTransitionError where none is planned. */
  stay(now: Date): void {
    if (!this.isLeaving) {
      throw new UserTransitionError(
        this.suspensionCauses.includes('offboarding')
          ? `The user is offboarded already; ${LIFTED_BY.offboarding} instead.`
          : 'No offboarding of this user is planned; there is nothing to cancel.',
      );
    }
    this.setDeparture(NO_DEPARTURE);
    this.updatedAt = now;
  }

  /**
   * Lifts one cause. The user is active again when none is left, and stays suspended otherwise. To be reinstated from
   * offboarding also gives up an offboarding that is only planned.
   * @throws UserTransitionError where this cause does not hold.
   */
  reinstate(cause: SuspensionCause, now: Date): void {
    if (cause === 'offboarding' && this.isLeaving) return this.stay(now);
    if (!this.suspensionCauses.includes(cause)) {
      throw new UserTransitionError(
        this.status === 'suspended'
          ? `The user is suspended by ${this.suspensionCauses.join(' and ')}, not by ${cause}; ${this.wayOut()} instead.`
          : `The user is ${this.status}, not suspended; there is nothing to lift.`,
      );
    }
    this.suspensionCauses = this.suspensionCauses.filter(other => other !== cause);
    if (cause === 'offboarding') this.setDeparture(NO_DEPARTURE);
    this.updatedAt = now;
    if (this.suspensionCauses.length > 0) return;
    this.suspendedAt = null;
    this.status = 'active';
  }

  /** What the organization says about the person, as it stands. */
  profile(): UserProfile {
    const { email, name, department, role, attributes } = this;
    return { email, name, department, role, attributes };
  }

  private describe(profile: Partial<UserProfile>): void {
    if (profile.email !== undefined) {
      this.email = profile.email.trim();
      this.emailKey = emailKey(profile.email);
    }
    if (profile.name !== undefined) this.name = profile.name;
    if (profile.department !== undefined) this.department = profile.department;
    if (profile.role !== undefined) this.role = profile.role;
    if (profile.attributes !== undefined) this.attributes = profile.attributes;
  }

  private refuseSecond(cause: SuspensionCause): void {
    if (!this.suspensionCauses.includes(cause)) return;
    throw new UserTransitionError(`The user is suspended already, by ${cause}; to undo it, ${LIFTED_BY[cause]}.`);
  }

  private setDeparture({ date, at, reason, endsMachineTokens = false }: Departure): void {
    this.departureDate = date;
    this.departsAt = at;
    this.departureReason = reason;
    this.departureEndsMachineTokens = endsMachineTokens;
  }

  private wayOut(): string {
    return this.suspensionCauses.map(cause => LIFTED_BY[cause]).join(' and ');
  }
}

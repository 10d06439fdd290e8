import { BigIntType } from '@mikro-orm/core';
import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { canonicalJson, defined, type JsonObject, type UserStatus } from '#core';
import { OrgRecord } from '#database';
import { emailKey } from './email-address.js';
import type { Departure } from './lifecycle/departure.js';
import type { UserProfile } from './user-profile.js';
import { UserTransitionError } from './user.errors.js';

/** Cause of a suspension. Each cause must be removed separately. */
export type SuspensionCause = 'offboarding' | 'scim';

/** Default role of a user. */
export const DEFAULT_USER_ROLE = 'member';

const LIFTED_BY: Record<SuspensionCause, string> = {
  offboarding: 'reinstate the user',
  scim: 'activate the user at the identity provider',
};

const NO_DEPARTURE: Departure = { date: null, at: null, reason: null };

/** A user of an organization, and the rules by which the status changes. */
@Entity({ tableName: 'users', schema: 'governance' })
export class User extends OrgRecord {
  /** The name as given, without surrounding white space. */
  @Property({ type: 'text' })
  email!: string;

  /** The address in lower case; unique within the organization. */
  @Property({ type: 'text' })
  emailKey!: string;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text', nullable: true })
  department!: string | null;

  /** Name of a role of the organization, not of a role of access tokens. */
  @Property({ type: 'text' })
  role!: string;

  @Property({ type: 'text' })
  status!: UserStatus;

  /** All current causes of the suspension. Empty if the user is not suspended. */
  @Property({ type: 'text[]' })
  suspensionCauses!: SuspensionCause[];

  @Property({ type: 'timestamptz', nullable: true })
  suspendedAt!: Date | null;

  /** The departure date as given: a day of the organization's calendar, or an instant. */
  @Property({ type: 'text', nullable: true })
  departureDate!: string | null;

  /** The instant at which {@link departureDate} begins. */
  @Property({ type: 'timestamptz', nullable: true })
  departsAt!: Date | null;

  /** The reason of the departure, as given. */
  @Property({ type: 'text', nullable: true })
  departureReason!: string | null;

  /** Whether the machine tokens that the user created are revoked when the user leaves. */
  @Property({ type: 'boolean' })
  departureEndsMachineTokens!: boolean;

  /** The custom attributes, one level deep. */
  @Property({ type: 'json' })
  attributes!: JsonObject;

  /** The entity never changes this time. Only the ingestion of usage writes it, with its own SQL. */
  @Property({ type: 'timestamptz', nullable: true })
  lastActiveAt!: Date | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** Time at which the personal data was erased. After that, nothing of the user changes. */
  @Property({ type: 'timestamptz', nullable: true })
  erasedAt!: Date | null;

  /** Version of the topic `users` at the last change. An in-memory directory reads only rows with a newer version. */
  @Property({ type: new BigIntType('number') })
  changeVersion!: number;

  /** Creates a user of the organization. */
  static create(orgId: string, id: string, profile: UserProfile, status: 'active' | 'inactive', now: Date): User {
    const user = new User();
    const noTimes = { suspendedAt: null, lastActiveAt: null, erasedAt: null };
    Object.assign(user, { orgId, id, status, suspensionCauses: [], ...noTimes });
    user.setDeparture(NO_DEPARTURE);
    user.describe(profile);
    return Object.assign(user, { createdAt: now, updatedAt: now });
  }

  /** Applies the supplied fields; returns whether anything changed. */
  change(profile: Partial<UserProfile>, now: Date): boolean {
    const before = canonicalJson(this.profile());
    this.describe(profile);
    if (canonicalJson(this.profile()) === before) return false;
    this.updatedAt = now;
    return true;
  }

  /**
   * Switches between active and inactive. Does nothing if the user already has the status. Returns whether the status
   * changed.
   * @throws UserTransitionError if suspension is involved, because it has its own transitions
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
   * Suspends the user. If the user is already suspended, adds the cause.
   * @throws UserTransitionError if the user is already suspended by this cause
   */
  suspend(cause: SuspensionCause, now: Date): void {
    this.refuseSecond(cause);
    this.suspensionCauses = [...this.suspensionCauses, cause];
    this.suspendedAt ??= now;
    this.status = 'suspended';
    this.updatedAt = now;
  }

  /** Whether the user's machine tokens must be revoked, because an offboarding that requires it was carried out. */
  get endsMachineTokens(): boolean {
    return this.departureEndsMachineTokens && this.suspensionCauses.includes('offboarding');
  }

  /** Whether an offboarding is planned but not yet carried out. */
  get isLeaving(): boolean {
    return this.departsAt !== null && !this.suspensionCauses.includes('offboarding');
  }

  /**
   * Offboards immediately, or plans the offboarding if the departure is in the future. Replaces an earlier plan.
   * @throws UserTransitionError if the user is already offboarded
   */
  offboard(departure: Departure, now: Date): void {
    this.refuseSecond('offboarding');
    this.setDeparture(departure);
    this.updatedAt = now;
    if (departure.at === null || departure.at <= now) this.suspend('offboarding', now);
  }

  /** Carries out a planned offboarding if it is due. Returns whether it did. */
  leave(now: Date): boolean {
    if (!this.isLeaving || this.departsAt === null || this.departsAt > now) return false;
    this.suspend('offboarding', now);
    return true;
  }

  /**
   * Moves a planned offboarding to another instant, because its day now begins at another time. Returns whether the
   * instant changed.
   */
  moveDeparture(at: Date, now: Date): boolean {
    if (this.departsAt?.getTime() === at.getTime()) return false;
    this.departsAt = at;
    this.updatedAt = now;
    return true;
  }

  /**
   * Cancels a planned offboarding.
   * @throws UserTransitionError if none is planned
   */
  stay(now: Date): void {
    if (!this.isLeaving) {
      throw new UserTransitionError(
        this.suspensionCauses.includes('offboarding')
          ? `The user is already offboarded; ${LIFTED_BY.offboarding} instead.`
          : 'This user has no planned offboarding to cancel.',
      );
    }
    this.setDeparture(NO_DEPARTURE);
    this.updatedAt = now;
  }

  /**
   * Removes one cause of the suspension. The user becomes active when no cause remains. Reinstating from offboarding
   * also cancels a planned offboarding.
   * @throws UserTransitionError if the user is not suspended by this cause
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

  /** The current profile. */
  profile(): UserProfile {
    const { email, name, department, role, attributes } = this;
    return { email, name, department, role, attributes };
  }

  private describe({ email, name, department, role, attributes }: Partial<UserProfile>): void {
    if (email !== undefined) {
      this.email = email.trim();
      this.emailKey = emailKey(email);
    }
    Object.assign(this, defined({ name, department, role, attributes }));
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

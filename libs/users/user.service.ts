import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor, type AuditEntry } from '#access';
import { Clock, newId, type JsonObject, type UserStatus } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { auditedUser } from './audited-user.js';
import { ensureBatch, ENSURE_BATCH_SIZE, inBatches, type PersonToEnsure } from './ensure-users.js';
import { Lockouts } from './lifecycle/lockouts.js';
import type { UserProfile } from './user-profile.js';
import { User, type SuspensionCause } from './user.entity.js';
import { EmailTakenError, UserErasedError, UserNotFoundError } from './user.errors.js';
import { USERS_TOPIC } from './users.topic.js';

/** Fields of a user that can be changed. Missing fields stay unchanged. */
export type UserChanges = Partial<UserProfile> & { status?: UserStatus };

/** A change of one user. `apply` works on the locked row and returns whether it changed anything. */
export interface UserChange {
  /** The action in the audit log. */
  action: string | ((changed: User) => string);
  apply(user: User, now: Date, em: EntityManager): boolean | Promise<boolean>;
  /**
   * Whether `apply` itself refuses an erased user. Default: false; an erased user is refused before `apply` is called.
   */
  readonly alsoErased?: boolean;
  /** Further data for the audit log. Called after `apply`. */
  alsoAudited?(): { before: JsonObject; after: JsonObject };
}

/** Context of a change of many users. */
export interface SharedChange {
  readonly em: EntityManager;
  readonly now: Date;
  /** The `change_version` to write to every changed user. */
  readonly version: number;
  /** Adds an entry to the audit log at the end of the transaction. */
  note(entry: AuditEntry): void;
}

/**
 * Manages the users of an organization. Each change is one audited transaction. The transaction increments the version
 * of the topic `users` first, so that changes of one organization run one after another and cannot deadlock. A change
 * that revokes LLM access sends `user_locked_out` and ends the user's credentials permanently. A further cause of
 * suspension sends no second event.
 */
@Injectable()
export class UserService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly lockouts: Lockouts,
  ) {}

  /**
   * Creates a user. `also` writes further data of the user in the same transaction, and returns its data for the audit
   * log.
   * @throws EmailTakenError if the address belongs to another user of the organization, and the errors of `also`
   */
  async create(
    actor: Actor,
    profile: UserProfile,
    status: 'active' | 'inactive' = 'active',
    also?: (em: EntityManager, user: User) => Promise<JsonObject>,
  ): Promise<User> {
    const now = this.clock.now();
    const user = User.create(actor.orgId, newId(now), profile, status, now);
    await this.database.transaction(actor.orgId, async em => {
      user.changeVersion = await this.changes.mark(em, actor.orgId, USERS_TOPIC);
      em.persist(user);
      await flushUnique(em);
      const more = await also?.(em, user);
      await this.audit.append(em, actor, {
        action: 'user.created',
        resourceType: 'user',
        resourceId: user.id,
        before: null,
        after: { ...auditedUser(user), ...more },
      });
    });
    await this.changes.refresh(actor.orgId);
    return user;
  }

  /** @throws UserNotFoundError */
  async get(orgId: string, id: string): Promise<User> {
    const user = await this.database.transaction(orgId, em => em.findOne(User, { orgId, id }));
    if (!user) throw new UserNotFoundError();
    return user;
  }

  /**
   * Changes the supplied fields. The status can only switch between active and inactive.
   * @throws UserNotFoundError, EmailTakenError, UserTransitionError
   */
  update(actor: Actor, id: string, { status, ...profile }: UserChanges): Promise<User> {
    return this.change(actor, id, {
      action: 'user.updated',
      apply(user, now) {
        const moved = status !== undefined && user.changeStatus(status, now);
        return user.change(profile, now) || moved;
      },
    });
  }

  /**
   * Revokes the user's LLM access.
   * @throws UserNotFoundError, UserTransitionError if the user is already suspended by this cause
   */
  suspend(actor: Actor, id: string, cause: SuspensionCause): Promise<User> {
    return this.change(actor, id, {
      action: 'user.suspended',
      apply(user, now) {
        user.suspend(cause, now);
        return true;
      },
    });
  }

  /**
   * Removes one cause of the suspension; the user stays suspended if another cause remains. For offboarding, also
   * cancels a planned one.
   * @throws UserNotFoundError, UserTransitionError if the user is not suspended by this cause
   */
  reinstate(actor: Actor, id: string, cause: SuspensionCause): Promise<User> {
    return this.change(actor, id, {
      action: 'user.reinstated',
      apply(user, now) {
        user.reinstate(cause, now);
        return true;
      },
    });
  }

  /**
   * Ensures that a user exists for every e-mail address, for imports. Existing users stay unchanged. Returns the ids in
   * the order of the input; a repeated address gives the same id. Each batch of 1,000 is one transaction with one
   * version and one audit entry. A failure leaves whole batches. Safe to repeat.
   * @throws BadRequestError naming the first value that a user cannot have, before anything is written
   */
  async ensureMany(actor: Actor, people: readonly PersonToEnsure[]): Promise<string[]> {
    const ids: string[] = [];
    for (const batch of inBatches(people, ENSURE_BATCH_SIZE)) {
      ids.push(...(await this.database.transaction(actor.orgId, em => this.ensureBatch(em, actor, batch))));
    }
    await this.changes.refresh(actor.orgId);
    return ids;
  }

  /**
   * Changes one user in its own transaction, in which `apply` may write related data. Writes nothing if `apply` reports
   * no change.
   * @throws UserNotFoundError, UserErasedError, EmailTakenError, and the errors of `apply`
   */
  async change(actor: Actor, id: string, change: UserChange): Promise<User> {
    const { orgId } = actor;
    const user = await this.database.transaction(orgId, async em => {
      const version = await this.changes.mark(em, orgId, USERS_TOPIC);
      const user = await em.findOne(User, { orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!user) throw new UserNotFoundError();
      if (user.erasedAt !== null && !change.alsoErased) throw new UserErasedError();
      const before = auditedUser(user);
      const { status, suspensionCauses } = user;
      const now = this.clock.now();
      if (!(await change.apply(user, now, em))) return user;
      user.changeVersion = version;
      await flushUnique(em);
      const { left, ended } = await this.lockouts.follow(em, user, { status, suspensionCauses }, now);
      const more = change.alsoAudited?.();
      // The audit log is written last, because all changes of an organization wait for its latest entry.
      await this.audit.append(em, actor, {
        action: typeof change.action === 'string' ? change.action : change.action(user),
        resourceType: 'user',
        resourceId: id,
        before: { ...before, ...more?.before },
        after: { ...auditedUser(user), ...more?.after, ...left },
      });
      for (const entry of ended) await this.audit.append(em, actor, entry);
      return user;
    });
    await this.changes.refresh(actor.orgId);
    return user;
  }

  /**
   * Changes many users in one transaction under one version. `work` writes the rows itself and returns the data for the
   * audit log.
   */
  async changeMany<T>(actor: Actor, work: (shared: SharedChange) => Promise<T>): Promise<T> {
    const result = await this.database.transaction(actor.orgId, async em => {
      const version = await this.changes.mark(em, actor.orgId, USERS_TOPIC);
      const entries: AuditEntry[] = [];
      const result = await work({ em, version, now: this.clock.now(), note: entry => void entries.push(entry) });
      await em.flush();
      for (const entry of entries) await this.audit.append(em, actor, entry);
      return result;
    });
    await this.changes.refresh(actor.orgId);
    return result;
  }

  private async ensureBatch(em: EntityManager, actor: Actor, batch: readonly PersonToEnsure[]): Promise<string[]> {
    const mark = () => this.changes.mark(em, actor.orgId, USERS_TOPIC);
    const { ids, created } = await ensureBatch(sqlOf(em), actor.orgId, batch, mark, this.clock.now());
    if (created.length > 0) {
      await this.audit.append(em, actor, {
        action: 'user.imported',
        resourceType: 'organization',
        resourceId: actor.orgId,
        before: null,
        after: { user_ids: created },
      });
    }
    return ids;
  }
}

async function flushUnique(em: EntityManager): Promise<void> {
  try {
    await em.flush();
  } catch (error) {
    if (
      error instanceof UniqueConstraintViolationException &&
      Reflect.get(error, 'constraint') === 'users_email_unique'
    ) {
      throw EmailTakenError.ofField();
    }
    throw error;
  }
}

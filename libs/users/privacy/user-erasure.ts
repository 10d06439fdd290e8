import { setTimeout as pause } from 'node:timers/promises';
import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditRedactor, PersonalCredentials, type Actor } from '#access';
import { ConflictError } from '#core';
import {
  ChangeFeed,
  OrgDatabase,
  personalErasure,
  personParameters,
  retryingConflicts,
  SCHEMA,
  sqlOf,
  UPKEEP_MS,
  type Person,
  type PersonalTable,
} from '#database';
import { DEFAULT_USER_ROLE, User } from '../user.entity.js';
import { UserNotFoundError } from '../user.errors.js';
import { UserService, type SharedChange } from '../user.service.js';
import { PersonalData } from './personal-data.js';

/** Result of an erasure. */
export interface ErasureReport {
  readonly userId: string;
  readonly erasedAt: Date;
  /** Rows that were deleted or changed, by table. */
  readonly tables: Readonly<Record<string, number>>;
}

// Hides the user from identity providers, even if the user has no SCIM data.
const HIDE = `
insert into ${SCHEMA}.scim_users as s (org_id, user_id, deleted_at) values ($1, $2, $3)
on conflict (org_id, user_id) do update set deleted_at = coalesce(s.deleted_at, excluded.deleted_at)`;

const AUDIT_LOG = 'audit_log';

/**
 * Milliseconds after which every replica has loaded the erased texts, and has written the decisions that it made
 * before.
 */
const REPLICAS_MS = 1_500;

/**
 * Erases the personal data of a user in all libraries. Figures, decisions and the audit log keep the user id, which
 * then no longer identifies the person. Safe to repeat: after a failure, the next request completes the erasure.
 */
@Injectable()
export class UserErasure {
  constructor(
    private readonly data: PersonalData,
    private readonly database: OrgDatabase,
    private readonly users: UserService,
    private readonly credentials: PersonalCredentials,
    private readonly redactor: AuditRedactor,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Revokes the user's access, then erases the personal data. Each table is one transaction. The user's own row comes
   * last, because the names and addresses in it are needed to find the rows of other tables.
   * @param texts further addresses and names of the person
   * @throws UserNotFoundError
   * @throws ConflictError if the actor's credential would end with the user
   */
  async erase(actor: Actor, userId: string, texts: readonly string[] = []): Promise<ErasureReport> {
    const { orgId } = actor;
    const id = userId.toLowerCase();
    refuseOwnErasure(actor, id);
    const user = await this.users.get(orgId, id);
    const person = await this.data.personOf(orgId, id, user.emailKey, texts);
    const tables = new Map<string, number>();
    if (user.erasedAt === null) await this.lockOut(actor, user);
    await this.sweep(person, tables);
    if (user.erasedAt === null) await this.eraseUser(actor, person, tables);
    if (tables.size > 0) {
      // Replicas write a decision after they have answered. Therefore, rows may have been added since the first pass.
      await pause(REPLICAS_MS);
      await this.changes.refresh(orgId);
      await this.sweep(person, tables);
    }
    const log = this.data.tables.find(({ table }) => table === AUDIT_LOG);
    if (log) count(tables, AUDIT_LOG, await this.redactor.redact(actor, person, log.where));
    const { erasedAt } = await this.users.get(orgId, id);
    return { userId: id, erasedAt: erasedAt ?? user.updatedAt, tables: Object.fromEntries(tables) };
  }

  private async lockOut(actor: Actor, { id, suspensionCauses }: User): Promise<void> {
    if (suspensionCauses.length === 0) await this.users.suspend(actor, id, 'offboarding');
  }

  private async sweep(person: Person, tables: Map<string, number>): Promise<void> {
    for (const table of this.data.tables) {
      if (table.isLast) continue;
      const work = (em: EntityManager) => this.eraseFrom(em, table, person, tables);
      await retryingConflicts(() => this.database.transaction(person.orgId, work, { timeoutMs: UPKEEP_MS }));
    }
  }

  private async eraseUser(actor: Actor, person: Person, tables: Map<string, number>): Promise<void> {
    await this.users.changeMany(actor, async (change: SharedChange) => {
      const { em, version, now } = change;
      const { orgId, userId } = person;
      const user = await em.findOne(User, { orgId, id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!user) throw new UserNotFoundError();
      makeTombstone(user, now);
      user.changeVersion = version;
      // Renaming increments the versions of the user's groups, so it must happen before the user leaves these groups.
      await em.flush();
      count(tables, 'users', 1);
      for (const table of this.data.tables) if (table.isLast) await this.eraseFrom(em, table, person, tables);
      await sqlOf(em).query(HIDE, [orgId, userId, now]);
      const ended = await this.credentials.revokeAllOf(em, {
        ...{ orgId, userId, now, endsMachineTokens: false, isErased: true },
      });
      for (const entry of ended) change.note(entry);
      change.note({
        action: 'user.erased',
        resourceType: 'user',
        resourceId: userId,
        before: null,
        after: { status: user.status, rows: Object.fromEntries(tables) },
      });
    });
  }

  private async eraseFrom(
    em: EntityManager,
    table: PersonalTable,
    person: Person,
    tables: Map<string, number>,
  ): Promise<void> {
    const statement = personalErasure(table);
    if (statement === undefined) return;
    const [row] = await sqlOf(em).query<{ changed: number }>(statement, personParameters(person));
    const changed = row?.changed ?? 0;
    if (changed > 0 && table.topic !== undefined) await this.changes.mark(em, person.orgId, table.topic);
    count(tables, table.table, changed);
  }
}

/** Users cannot erase themselves. Otherwise, an organization could lose its last administrator. */
function refuseOwnErasure({ userId, issuedBy = [] }: Actor, id: string): void {
  if (userId?.toLowerCase() === id) {
    throw new ConflictError('You cannot erase your own user. Ask another administrator.');
  }
  if (issuedBy.some(maker => maker.toLowerCase() === id)) {
    throw new ConflictError(
      'The erasure would end your access token, because this user created it. Use a token that another person created.',
    );
  }
}

function count(tables: Map<string, number>, table: string, rows: number): void {
  if (rows > 0) tables.set(table, (tables.get(table) ?? 0) + rows);
}

/** Replaces all identifying data of the user. The id, the status and the times stay. */
function makeTombstone(user: User, now: Date): void {
  const email = `erased-${user.id}@erased.invalid`;
  user.change({ email, name: 'Erased user', department: null, role: DEFAULT_USER_ROLE, attributes: {} }, now);
  const noDeparture = {
    departureDate: null,
    departsAt: null,
    departureReason: null,
    departureEndsMachineTokens: false,
  };
  Object.assign(user, noDeparture, { erasedAt: now, updatedAt: now });
}

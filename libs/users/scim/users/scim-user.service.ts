import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { peopleBehind, type Actor } from '#access';
import { canonicalJson, ForbiddenError, isUuid, type JsonObject } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import { emailKey } from '../../email-address.js';
import { DEFAULT_USER_ROLE, type User } from '../../user.entity.js';
import { UserNotFoundError } from '../../user.errors.js';
import { UserService } from '../../user.service.js';
import { departmentOf } from '../departments/department-rule.js';
import { foldText } from '../protocol/fold-text.js';
import type { PatchStep } from '../protocol/patch-request.js';
import { ScimError, VersionChangedError } from '../protocol/scim-error.js';
import { isSameVersion } from '../protocol/version.js';
import { groupsOf } from './scim-user-reader.js';
import { ScimUser } from './scim-user.entity.js';
import { patchUser, type RequestedUser } from './patch-user.js';
import { mapUser, saidResource, type KnownUser, type MappedUser } from './user-mapping.js';
import { LEAVE_ALL_GROUPS, NAME_TAKEN, RAISE_GROUPS_OF, REMOVED_WITH_EMAIL } from './scim-user.sql.js';
import { versionOf, type FoundUser, type GroupOfUser } from './user.presenter.js';
import { userNames } from './user-names.js';

/** A user while it is being changed. */
interface Touched extends KnownUser {
  actor: Actor;
  em: EntityManager;
  groups: readonly GroupOfUser[];
  now: Date;
}

/**
 * Changes users on behalf of identity providers. Each request is one transaction, which writes the user, the SCIM data,
 * the department and the audit log under one version. Requests of one organization run one after another.
 */
@Injectable()
export class ScimUserService {
  constructor(
    private readonly users: UserService,
    private readonly database: OrgDatabase,
  ) {}

  /**
   * Creates a user. If the provider has removed the user before, restores the user with the full history.
   * @throws ScimError invalidValue, uniqueness; EmailTakenError; ForbiddenError if that user created the credential
   */
  async create(actor: Actor, resource: JsonObject): Promise<FoundUser> {
    const { orgId } = actor;
    const mapped = mapUser(resource);
    const removed = await this.removedWith(orgId, mapped.email);
    if (removed !== undefined) return this.revive(actor, removed, mapped);
    const { email, name, scim } = mapped;
    const record = ScimUser.of(orgId, '');
    const { department, assigned } = departmentOf({
      attribute: scim.department,
      group: null,
      assigned: null,
      current: null,
    });
    const user = await this.users.create(
      actor,
      { email, name, department, role: DEFAULT_USER_ROLE, attributes: {} },
      'active',
      async (em, made) => {
        await refuseTakenName(em, orgId, scim.userNameKey, made.id);
        record.userId = made.id;
        record.assignedDepartment = assigned;
        record.describe(scim);
        em.persist(record);
        if (mapped.active === false) made.suspend('scim', made.createdAt);
        return record.audited();
      },
    );
    return { user, record, userName: scim.userName, groups: [] };
  }

  /**
   * Replaces all stored data of a user. Without `active`, the user's access stays unchanged.
   * @param ifMatch the versions that the caller accepts
   * @throws UserNotFoundError, VersionChangedError, ScimError, EmailTakenError, and ForbiddenError if the user would
   * regain access and created the caller's credential
   */
  replace(actor: Actor, id: string, resource: JsonObject, ifMatch?: string): Promise<FoundUser> {
    return this.change(actor, id, ifMatch, known => requestedOf(known, mapUser(resource, known.user.email)));
  }

  /** Applies the PATCH operations to the current user. @throws as {@link replace} */
  patch(actor: Actor, id: string, steps: readonly PatchStep[], ifMatch?: string): Promise<FoundUser> {
    return this.change(actor, id, ifMatch, known => patchUser(known, steps));
  }

  /** Revokes the user's access, and hides the user from the provider. @throws UserNotFoundError, VersionChangedError */
  async remove(actor: Actor, id: string, ifMatch?: string): Promise<void> {
    await this.touch(actor, id, ifMatch, async ({ em, user, record, now }) => {
      if (record.deletedAt !== null) throw new UserNotFoundError();
      await sqlOf(em).query(RAISE_GROUPS_OF, [user.orgId, user.id, now.toISOString()]);
      await sqlOf(em).query(LEAVE_ALL_GROUPS, [user.orgId, user.id]);
      record.deletedAt = now;
      setAccess(user, record, false, now);
    });
  }

  private revive(actor: Actor, id: string, mapped: MappedUser): Promise<FoundUser> {
    return this.touch(actor, id, undefined, async touched => {
      const { em, user, record } = touched;
      // Another request has restored the user meanwhile.
      if (record.deletedAt === null) throw new ScimError('uniqueness', 'This user exists already.');
      // The check does not depend on the requested access: a user who was removed must not undo the removal.
      refuseOwnReturn(actor, user);
      record.deletedAt = null;
      await refuseTakenName(em, user.orgId, mapped.scim.userNameKey, user.id);
      become(touched, requestedOf(touched, { ...mapped, active: mapped.active ?? true }));
    });
  }

  private change(
    actor: Actor,
    id: string,
    ifMatch: string | undefined,
    requestedFor: (known: KnownUser) => RequestedUser,
  ): Promise<FoundUser> {
    return this.touch(actor, id, ifMatch, async touched => {
      const { em, user, record, userName } = touched;
      if (record.deletedAt !== null) throw new UserNotFoundError();
      const requested = requestedFor(touched);
      if (requested.said.userNameKey !== foldText(userName)) {
        await refuseTakenName(em, user.orgId, requested.said.userNameKey, user.id);
      }
      become(touched, requested);
    });
  }

  /** Changes a user and the SCIM data. Writes nothing if nothing differs. */
  private async touch(
    actor: Actor,
    id: string,
    ifMatch: string | undefined,
    work: (touched: Touched) => Promise<void>,
  ): Promise<FoundUser> {
    if (!isUuid(id)) throw new UserNotFoundError();
    const { orgId } = actor;
    let found: Omit<FoundUser, 'user'> | undefined;
    const seen: { before: JsonObject; after: JsonObject } = { before: {}, after: {} };
    let wasSuspended = false;
    const user = await this.users.change(actor, id.toLowerCase(), {
      action: changed => actionOf(wasSuspended, changed),
      alsoErased: true,
      async apply(user, now, em) {
        const said = await em.findOne(ScimUser, { orgId, userId: user.id });
        const record = said ?? ScimUser.of(orgId, user.id);
        if (ifMatch !== undefined && !isSameVersion(ifMatch, versionOf(user))) throw new VersionChangedError();
        const groups = (await groupsOf(em, orgId, [user.id])).get(user.id) ?? [];
        const nameOf = await userNames(sqlOf(em), orgId, [{ user, record }]);
        wasSuspended = user.status === 'suspended';
        const before = stateOf(user, record);
        seen.before = record.audited();
        await work({ actor, em, user, record, userName: nameOf(user, record), groups, now });
        seen.after = record.audited();
        found = { record, userName: nameOf(user, record), groups };
        if (stateOf(user, record) === before) return false;
        if (!said) em.persist(record);
        user.updatedAt = now;
        return true;
      },
      alsoAudited: () => seen,
    });
    if (!found) throw new Error('A user was changed without being read.');
    return { user, ...found };
  }

  private async removedWith(orgId: string, email: string): Promise<string | undefined> {
    const rows = await this.database.transaction(orgId, em =>
      sqlOf(em).query<{ id: string }>(REMOVED_WITH_EMAIL, [orgId, emailKey(email)]),
    );
    return rows[0]?.id;
  }
}

/** Refuses a taken name. Requests run one after another, so it stays free. @throws ScimError uniqueness */
async function refuseTakenName(em: EntityManager, orgId: string, key: string, userId: string): Promise<void> {
  const taken = await sqlOf(em).query(NAME_TAKEN, [orgId, key, userId]);
  if (taken.length > 0) {
    throw new ScimError(
      'uniqueness',
      'userName belongs to another user of your organization (case makes no difference).',
    );
  }
}

/** Changes the fields in which a whole resource differs from the provider's last values. */
function requestedOf(known: KnownUser, wanted: MappedUser): RequestedUser {
  return { former: mapUser(saidResource(known), known.user.email), wanted, said: wanted.scim };
}

/** Applies only the fields that the provider has changed. Local changes of other fields remain. */
function become({ actor, user, record, groups, now }: Touched, { former, wanted, said }: RequestedUser): void {
  record.describe(said);
  const { department, assigned } = departmentOf({
    attribute: said.department,
    group: groups[0]?.displayName ?? null,
    assigned: record.assignedDepartment,
    current: user.department,
  });
  record.assignedDepartment = assigned;
  const { name, email, active } = wanted;
  const renamed = name === former.name ? {} : { name };
  const moved = email === former.email ? {} : { email };
  user.change({ ...renamed, ...moved, department }, now);
  if (active === undefined) return;
  if (active && user.suspensionCauses.includes('scim')) refuseOwnReturn(actor, user);
  setAccess(user, record, active, now);
}

/**
 * Machine tokens stay valid when their creator loses access, and the creator may have kept a copy.
 * @throws ForbiddenError if the user created the credential
 */
function refuseOwnReturn(actor: Actor, { id }: User): void {
  if (!peopleBehind(actor).includes(id)) return;
  throw new ForbiddenError(
    'This user made the token that you ask with, so the token cannot give the user access again; ' +
      'ask with a token that another person or the operator made.',
  );
}

/**
 * Applies the provider's `active`. Adds or removes only the provider's own suspension. If the user has another cause of
 * suspension, the user stays locked out. A user who was inactive before the suspension becomes inactive again.
 */
function setAccess(user: User, record: ScimUser, active: boolean, now: Date): void {
  const isSuspended = user.suspensionCauses.includes('scim');
  if (active === !isSuspended) return;
  if (!active) {
    record.wasInactive = user.status === 'inactive';
    return user.suspend('scim', now);
  }
  user.reinstate('scim', now);
  if (record.wasInactive && user.status === 'active') user.changeStatus('inactive', now);
  record.wasInactive = false;
}

/** All fields of a user that SCIM can change. */
function stateOf({ suspensionCauses, ...user }: User, record: ScimUser): string {
  const { email, name, department } = user;
  return canonicalJson({ email, name, department, suspensionCauses, record: record.state() });
}

function actionOf(wasSuspended: boolean, { status }: User): string {
  if ((status === 'suspended') === wasSuspended) return 'user.updated';
  return wasSuspended ? 'user.reinstated' : 'user.suspended';
}

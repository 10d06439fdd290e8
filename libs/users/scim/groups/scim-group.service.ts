import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { isUuid, newId, type JsonObject } from '#core';
import { sqlOf } from '#database';
import { UserService, type SharedChange } from '../../user.service.js';
import { assignDepartments } from '../departments/assign-departments.js';
import { applyPatch } from '../protocol/apply-patch.js';
import type { PatchStep } from '../protocol/patch-request.js';
import { ScimError, VersionChangedError } from '../protocol/scim-error.js';
import { isSameVersion } from '../protocol/version.js';
import { ScimGroupNotFoundError } from './group.errors.js';
import { GroupMembers } from './group-members.sql.js';
import { namesIn, type RequestedGroup } from './requested-group.js';
import { versionOfGroup } from './group.presenter.js';
import { memberStepOf, type MemberStep } from './member-steps.js';
import { ScimGroup } from './scim-group.entity.js';

/** Maximum number of departments in one audit entry. */
const MOVES_PER_ENTRY = 1_000;

/** A group while it is being changed. */
interface Touched {
  group: ScimGroup;
  members: GroupMembers;
  /** Members that the change has added and removed. */
  added: Set<string>;
  removed: Set<string>;
}

/**
 * Changes groups on behalf of identity providers. Each request is one transaction, which also sets the departments of
 * the members. Requests of one organization run one after another.
 */
@Injectable()
export class ScimGroupService {
  constructor(private readonly users: UserService) {}

  /** Creates a group. @throws ScimError uniqueness, invalidValue */
  create(actor: Actor, requested: RequestedGroup): Promise<ScimGroup> {
    return this.users.changeMany(actor, async shared => {
      const { em, now, version } = shared;
      const { orgId } = actor;
      const group = Object.assign(new ScimGroup(), { orgId, id: newId(now), version, createdAt: now, updatedAt: now });
      const touched = touch(shared, group);
      await rename(shared, group, requested);
      em.persist(group);
      await em.flush();
      await changeMembers(touched, { kind: 'add', userIds: requested.userIds });
      await settle(shared, touched, 'scim_group.created', null);
      return group;
    });
  }

  /**
   * Replaces the names and members of a group.
   * @param ifMatch the versions that the caller accepts.
   * @throws ScimGroupNotFoundError, VersionChangedError, ScimError
   */
  replace(actor: Actor, id: string, requested: RequestedGroup, ifMatch?: string): Promise<ScimGroup> {
    return this.change(actor, id, ifMatch, async (shared, touched) => {
      await rename(shared, touched.group, requested);
      await changeMembers(touched, { kind: 'set', userIds: requested.userIds });
    });
  }

  /**
   * Applies the PATCH operations in order to the current group.
   * @throws as {@link replace}
   */
  patch(actor: Actor, id: string, steps: readonly PatchStep[], ifMatch?: string): Promise<ScimGroup> {
    return this.change(actor, id, ifMatch, async (shared, touched) => {
      const isAboutMembers = (step: PatchStep): boolean => step.target.ref.attribute.name === 'members';
      for (const step of steps.filter(isAboutMembers)) await changeMembers(touched, memberStepOf(step));
      const { displayName, externalId } = touched.group;
      const named: JsonObject = { displayName, ...(externalId === null ? {} : { externalId }) };
      const others = steps.filter(step => !isAboutMembers(step));
      await rename(shared, touched.group, namesIn(applyPatch(named, others)));
    });
  }

  /**
   * Deletes the group. A member whose department came from the group loses the department.
   * @throws as {@link replace}
   */
  async remove(actor: Actor, id: string, ifMatch?: string): Promise<void> {
    await this.users.changeMany(actor, async shared => {
      const touched = await find(shared, actor.orgId, id, ifMatch);
      const before = touched.group.audited();
      await changeMembers(touched, { kind: 'clear' });
      await settle(shared, touched, 'scim_group.deleted', before);
      shared.em.remove(touched.group);
    });
  }

  private change(
    actor: Actor,
    id: string,
    ifMatch: string | undefined,
    work: (shared: SharedChange, touched: Touched) => Promise<void>,
  ): Promise<ScimGroup> {
    return this.users.changeMany(actor, async shared => {
      const touched = await find(shared, actor.orgId, id, ifMatch);
      const { group, added, removed, members } = touched;
      const before = group.audited();
      await work(shared, touched);
      const isRenamed = JSON.stringify(group.audited()) !== JSON.stringify(before);
      if (!isRenamed && added.size === 0 && removed.size === 0) return group;
      group.version = shared.version;
      group.updatedAt = shared.now;
      await shared.em.flush();
      // The name of the group is part of each member's representation, which has therefore changed, too.
      const stayed = isRenamed ? await members.all() : [];
      await settle(shared, touched, 'scim_group.updated', before, stayed);
      return group;
    });
  }
}

async function find({ em, now, version }: SharedChange, orgId: string, id: string, ifMatch?: string): Promise<Touched> {
  const group = isUuid(id) ? await em.findOne(ScimGroup, { orgId, id: id.toLowerCase() }) : null;
  if (!group) throw new ScimGroupNotFoundError();
  if (ifMatch !== undefined && !isSameVersion(ifMatch, versionOfGroup(group))) throw new VersionChangedError();
  return touch({ em, now, version }, group);
}

function touch({ em }: Pick<SharedChange, 'em' | 'now' | 'version'>, group: ScimGroup): Touched {
  const members = new GroupMembers(sqlOf(em), group.orgId, group.id);
  return { group, members, added: new Set(), removed: new Set() };
}

/**
 * Changes the names of a group. Requests run one after another, so no other transaction can take the name before this
 * one ends.
 */
async function rename(
  { em }: SharedChange,
  group: ScimGroup,
  { displayName, externalId }: Pick<RequestedGroup, 'displayName' | 'externalId'>,
): Promise<void> {
  group.describe(displayName, externalId);
  const { orgId, id, displayNameKey } = group;
  const other = await em.count(ScimGroup, { orgId, displayNameKey, id: { $ne: id } }, { flushMode: 'commit' });
  if (other > 0) {
    throw new ScimError(
      'uniqueness',
      'displayName belongs to another group of your organization (case makes no difference).',
    );
  }
}

async function changeMembers(touched: Touched, step: MemberStep): Promise<void> {
  const { members } = touched;
  if (step.kind === 'clear') return note(touched, [], await members.removeOthers([]));
  if (step.kind === 'remove') return note(touched, [], await members.remove(step.userIds));
  const unknown = await members.firstUnknown(step.userIds);
  if (unknown !== undefined) {
    throw new ScimError('invalidValue', `members: there is no user with the id ${unknown} in your organization.`);
  }
  const gone = step.kind === 'set' ? await members.removeOthers(step.userIds) : [];
  note(touched, await members.add(step.userIds), gone);
}

/** A member removed and re-added in one request keeps its membership. */
function note({ added, removed }: Touched, came: readonly string[], went: readonly string[]): void {
  for (const id of went) if (!added.delete(id)) removed.add(id);
  for (const id of came) if (!removed.delete(id)) added.add(id);
}

/** Applies the consequences of the change: sets departments and writes the audit log. */
async function settle(
  shared: SharedChange,
  { group, added, removed }: Touched,
  action: string,
  before: JsonObject | null,
  others: readonly string[] = [],
): Promise<void> {
  const { orgId, id } = group;
  const moves = await assignDepartments(sqlOf(shared.em), orgId, [...added, ...removed, ...others], shared);
  const about = { resourceType: 'scim_group', resourceId: id };
  const after =
    action === 'scim_group.deleted' ? null : { ...group.audited(), added: [...added], removed: [...removed] };
  shared.note({ action, ...about, before, after });
  for (let at = 0; at < moves.length; at += MOVES_PER_ENTRY) {
    const users = moves.slice(at, at + MOVES_PER_ENTRY);
    shared.note({ action: 'user.department_assigned', ...about, before: null, after: { users } });
  }
}

import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, ROLE_SCOPES, type Actor } from '#access';
import { BadRequestError, Clock, ForbiddenError, newId, type JsonObject } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { ChatAdapters } from '../chat-adapters.js';
import { TooManyWorkspacesError, WorkspaceNotFoundError, WORKSPACES_MAX, WorkspaceTakenError } from './chat.errors.js';
import { ChatWorkspace } from './chat-workspace.entity.js';
import { storedNotifications, type Notifications } from './notification-routing.js';
import { checkSettings, checkWorkspace } from './workspace-check.js';
import { WorkspaceResources } from './workspace-resources.js';

const LOCK = `select pg_advisory_xact_lock(hashtextextended('governance chat workspaces ' || $1, 0))`;
const UNLINK = `delete from ${SCHEMA}.chat_links where org_id = $1 and platform = $2 and workspace = $3`;

/** Settings of a workspace that can be changed. */
export interface WorkspaceSettings {
  readonly signingSecret?: string | undefined;
  readonly notificationSecret?: string | undefined;
  /** Replaces all notification settings. */
  readonly notifications?: Notifications | undefined;
}

/** A workspace to register. */
export interface WorkspaceDraft extends WorkspaceSettings {
  readonly platform: string;
  readonly workspace: string;
}

/** Manages the chat workspaces of an organization. */
@Injectable()
export class ChatWorkspaces {
  constructor(
    private readonly database: OrgDatabase,
    private readonly adapters: ChatAdapters,
    private readonly resources: WorkspaceResources,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Registers a workspace.
   * @throws ForbiddenError if the actor lacks permissions that accounts of the workspace could get
   * @throws BadRequestError naming the invalid field
   * @throws WorkspaceTakenError
   * @throws TooManyWorkspacesError
   */
  async register(actor: Actor, draft: WorkspaceDraft): Promise<ChatWorkspace> {
    refuseExcess(actor);
    const { platform, workspace } = draft;
    const adapter = this.adapters.find(platform);
    if (!adapter) throw BadRequestError.field('platform', `must be one of: ${this.adapters.kinds.join(', ')}`);
    checkWorkspace(adapter, workspace, draft);
    const { orgId } = actor;
    const now = this.clock.now();
    const made = Object.assign(new ChatWorkspace(), { orgId, id: newId(now), platform, workspace, problem: null });
    Object.assign(made, { secretNames: [], notifications: {}, createdAt: now, updatedAt: now });
    try {
      return await this.database.transaction(orgId, async em => {
        await sqlOf(em).query(LOCK, [orgId]);
        if ((await em.count(ChatWorkspace, { orgId })) >= WORKSPACES_MAX) throw new TooManyWorkspacesError();
        await em.persist(made).flush();
        await this.apply(em, made, draft);
        await this.note(em, actor, 'registered', made.id, null, auditView(made));
        return made;
      });
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) throw new WorkspaceTakenError();
      throw error;
    }
  }

  /**
   * Replaces secrets or notification settings. The former secrets become invalid at once, and waiting notifications are
   * retried.
   * @throws ForbiddenError if the actor lacks permissions that accounts of the workspace could get
   * @throws BadRequestError naming the invalid field
   * @throws WorkspaceNotFoundError
   */
  async change(actor: Actor, id: string, settings: WorkspaceSettings): Promise<ChatWorkspace> {
    refuseExcess(actor);
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      const found = await locked(em, orgId, id);
      const before = auditView(found);
      // The settings can be validated only if this process has the adapter.
      const adapter = this.adapters.find(found.platform);
      if (!adapter) throw new WorkspaceNotFoundError();
      checkSettings(adapter, { ...settings, notifications: settings.notifications ?? found.notifications }, found);
      await this.apply(em, found, settings);
      await this.resources.retryNotices(em, found);
      const verb = settings.notifications === undefined ? 'secret_replaced' : 'changed';
      await this.note(em, actor, verb, id, before, auditView(found));
      return found;
    });
  }

  /**
   * Deletes a workspace with its links and notifications. From then on, its commands are refused.
   * @throws WorkspaceNotFoundError
   */
  async delete(actor: Actor, id: string): Promise<void> {
    const { orgId } = actor;
    await this.database.transaction(orgId, async em => {
      const found = await locked(em, orgId, id);
      await sqlOf(em).query(UNLINK, [orgId, found.platform, found.workspace]);
      await this.resources.discard(em, found);
      em.remove(found);
      await this.note(em, actor, 'deleted', id, auditView(found), null);
    });
  }

  private async apply(em: EntityManager, workspace: ChatWorkspace, settings: WorkspaceSettings): Promise<void> {
    const { signingSecret, notificationSecret, notifications } = settings;
    const names = new Set(workspace.secretNames);
    if (signingSecret !== undefined) names.add('signing_secret');
    if (notificationSecret !== undefined) names.add('notification_secret');
    Object.assign(workspace, { secretNames: [...names].toSorted(), problem: null, updatedAt: this.clock.now() });
    if (notifications) workspace.notifications = storedNotifications(notifications);
    await em.flush();
    await this.resources.putSecrets(em, workspace, { signing: signingSecret, notification: notificationSecret });
  }

  private async note(
    em: EntityManager,
    actor: Actor,
    verb: string,
    resourceId: string,
    before: JsonObject | null,
    after: JsonObject | null,
  ): Promise<void> {
    const action = `chat_workspace.${verb}`;
    await this.audit.append(em, actor, { action, resourceType: 'chat_workspace', resourceId, before, after });
  }
}

/**
 * Anyone who knows the signing secret can act as every account that is linked now or later. Therefore, an actor who
 * sets the secret needs all permissions that a link can grant.
 */
function refuseExcess(actor: Actor): void {
  const lacking = ROLE_SCOPES.admin.filter(scope => !actor.scopes.has(scope));
  if (lacking.length === 0) return;
  throw new ForbiddenError(
    `A signing secret can impersonate every linked account; to set it, you also need: ${lacking.join(', ')}.`,
  );
}

async function locked(em: EntityManager, orgId: string, id: string): Promise<ChatWorkspace> {
  const found = await em.findOne(ChatWorkspace, { orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!found) throw new WorkspaceNotFoundError();
  return found;
}

function auditView({ platform, workspace, notifications }: ChatWorkspace): JsonObject {
  return { platform, workspace, notifications };
}

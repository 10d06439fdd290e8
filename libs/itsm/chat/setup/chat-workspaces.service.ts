import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, ROLE_SCOPES, type Actor } from '#access';
import { BadRequestError, Clock, ForbiddenError, newId, type JsonObject, type SecretPlace } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { SecretVault } from '#secrets';
import { ChatAdapters } from '../chat-adapters.js';
import { TooManyWorkspacesError, WorkspaceNotFoundError, WORKSPACES_MAX, WorkspaceTakenError } from './chat.errors.js';
import { ChatWorkspace } from './chat-workspace.entity.js';

const ALONE = `select pg_advisory_xact_lock(hashtextextended('governance chat workspaces ' || $1, 0))`;
const UNLINK = `delete from ${SCHEMA}.chat_links where org_id = $1 and platform = $2 and workspace = $3`;

/** A workspace that is to be set up. */
export interface WorkspaceDraft {
  readonly platform: string;
  readonly workspace: string;
  readonly signingSecret: string;
}

/** Where the vault keeps the signing secret of a workspace. */
export function signingSecretPlace({ orgId, id }: { orgId: string; id: string }): SecretPlace {
  return { orgId, owner: 'chat_workspaces', ownerId: id, name: 'signing_secret' };
}

/** Keeps the workspaces whose commands an organization takes. */
@Injectable()
export class ChatWorkspaces {
  constructor(
    private readonly database: OrgDatabase,
    private readonly adapters: ChatAdapters,
    private readonly vault: SecretVault,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ForbiddenError for an actor who may not do what accounts of the workspace could do
   * @throws BadRequestError naming the field at fault
   * @throws WorkspaceTakenError
   * @throws TooManyWorkspacesError
   */
  async register(actor: Actor, { platform, workspace, signingSecret }: WorkspaceDraft): Promise<ChatWorkspace> {
    refuseExcess(actor);
    this.check(platform, workspace);
    const { orgId } = actor;
    const now = this.clock.now();
    const made = Object.assign(new ChatWorkspace(), { orgId, id: newId(now), platform, workspace });
    Object.assign(made, { createdAt: now, updatedAt: now });
    try {
      return await this.database.transaction(orgId, async em => {
        await sqlOf(em).query(ALONE, [orgId]);
        if ((await em.count(ChatWorkspace, { orgId })) >= WORKSPACES_MAX) throw new TooManyWorkspacesError();
        await em.persist(made).flush();
        await this.vault.put(em, signingSecretPlace(made), signingSecret);
        await this.note(em, actor, 'registered', made.id, null, auditView(made));
        return made;
      });
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) throw new WorkspaceTakenError();
      throw error;
    }
  }

  /**
   * Puts another signing secret in the place of the one before, which is good for nothing from then on.
   * @throws ForbiddenError for an actor who may not do what accounts of the workspace could do
   * @throws WorkspaceNotFoundError
   */
  async replaceSecret(actor: Actor, id: string, signingSecret: string): Promise<ChatWorkspace> {
    refuseExcess(actor);
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      const found = await locked(em, orgId, id);
      found.updatedAt = this.clock.now();
      await em.flush();
      await this.vault.put(em, signingSecretPlace(found), signingSecret);
      await this.note(em, actor, 'secret_replaced', id, auditView(found), auditView(found));
      return found;
    });
  }

  /** Commands of it are refused from then on, and its links are gone. @throws WorkspaceNotFoundError */
  async delete(actor: Actor, id: string): Promise<void> {
    const { orgId } = actor;
    await this.database.transaction(orgId, async em => {
      const found = await locked(em, orgId, id);
      await sqlOf(em).query(UNLINK, [orgId, found.platform, found.workspace]);
      const { owner, ownerId } = signingSecretPlace(found);
      await this.vault.deleteAll(em, orgId, owner, ownerId);
      em.remove(found);
      await this.note(em, actor, 'deleted', id, auditView(found), null);
    });
  }

  private check(platform: string, workspace: string): void {
    const adapter = this.adapters.find(platform);
    if (!adapter) throw BadRequestError.field('platform', `must be one of: ${this.adapters.kinds.join(', ')}`);
    if (!adapter.isWorkspace(workspace)) {
      throw BadRequestError.field('workspace', `must be the id of a workspace of ${adapter.title}`);
    }
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
 * Whoever knows the signing secret can speak for every account that is linked, now or later: setting it takes what the
 * greatest link takes.
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

function auditView({ platform, workspace }: ChatWorkspace): JsonObject {
  return { platform, workspace };
}

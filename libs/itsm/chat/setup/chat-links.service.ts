import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, ROLE_SCOPES, type Actor } from '#access';
import { BadRequestError, Clock, ForbiddenError, newId, UserDirectory } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import { ChatAdapters } from '../chat-adapters.js';
import { auditedLink } from './audited-link.js';
import { AccountLinkedError, LinkNotFoundError } from './chat.errors.js';
import { ChatLink, type ChatRole } from './chat-link.entity.js';
import { ChatWorkspace } from './chat-workspace.entity.js';

/** A link to create. */
export interface LinkDraft {
  readonly platform: string;
  readonly workspace: string;
  readonly account: string;
  readonly userId: string;
  readonly role: ChatRole;
}

/** Stores which user each chat account represents. */
@Injectable()
export class ChatLinks {
  constructor(
    private readonly database: OrgDatabase,
    private readonly adapters: ChatAdapters,
    private readonly users: UserDirectory,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Lets a chat account act as a user. A link is a credential. Therefore, an actor cannot grant scopes that the actor
   * does not have.
   * @throws BadRequestError naming the field at fault
   * @throws ForbiddenError for scopes that the actor does not have
   * @throws AccountLinkedError
   */
  async link(actor: Actor, draft: LinkDraft): Promise<ChatLink> {
    refuseExcess(actor, draft);
    const { orgId } = actor;
    if (!this.adapters.find(draft.platform)?.isAccount(draft.account)) {
      throw BadRequestError.field('account', 'must be the id of an account, not its name');
    }
    const userId = draft.userId.toLowerCase();
    const now = this.clock.now();
    const { platform, workspace } = draft;
    const made = Object.assign(new ChatLink(), { ...draft, orgId, id: newId(now), userId, createdAt: now });
    try {
      return await this.database.transaction(orgId, async em => {
        const status = await this.users.statusWithin(sqlOf(em), orgId, userId);
        if (status === undefined) throw BadRequestError.field('user_id', 'is not a user of this organization');
        // A suspended user gets no new credentials, because a user who is reactivated must start without any.
        if (status === 'suspended') throw BadRequestError.field('user_id', 'is suspended; reinstate the user first');
        if ((await em.count(ChatWorkspace, { orgId, platform, workspace })) === 0) {
          throw BadRequestError.field('workspace', 'is not set up; register it first');
        }
        await em.persist(made).flush();
        await this.note(em, actor, 'created', made);
        return made;
      });
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) throw new AccountLinkedError();
      throw error;
    }
  }

  /** Removes a link. From then on, the account cannot run commands. @throws LinkNotFoundError */
  async unlink(actor: Actor, id: string): Promise<void> {
    const { orgId } = actor;
    await this.database.transaction(orgId, async em => {
      const found = await em.findOne(ChatLink, { orgId, id });
      if (!found) throw new LinkNotFoundError();
      em.remove(found);
      await this.note(em, actor, 'deleted', found);
    });
  }

  private async note(em: EntityManager, actor: Actor, verb: 'created' | 'deleted', link: ChatLink): Promise<void> {
    const view = auditedLink(link);
    await this.audit.append(em, actor, {
      action: `chat_link.${verb}`,
      resourceType: 'chat_link',
      resourceId: link.id,
      before: verb === 'deleted' ? view : null,
      after: verb === 'deleted' ? null : view,
    });
  }
}

/** As with access tokens, a link grants at most the permissions of its creator. */
function refuseExcess(actor: Actor, { role, userId }: LinkDraft): void {
  const lacking = ROLE_SCOPES[role].filter(scope => !actor.scopes.has(scope));
  if (lacking.length > 0) {
    throw new ForbiddenError(`You cannot grant scopes that you do not have: ${lacking.join(', ')}.`);
  }
  if (userId.toLowerCase() !== actor.userId?.toLowerCase() && !actor.scopes.has('users:write')) {
    throw new ForbiddenError('A link in the name of another user needs the scope users:write.');
  }
}

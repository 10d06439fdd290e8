import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ROLE_SCOPES, type Actor } from '#access';
import { UserDirectory } from '#core';
import { OrgDatabase } from '#database';
import { ChatLink } from '../setup/chat-link.entity.js';

/** The chat account that sent a command, and its organization. */
export interface ChatAccount {
  readonly orgId: string;
  readonly platform: string;
  readonly workspace: string;
  readonly account: string;
}

/** Finds the user of a chat account. */
@Injectable()
export class ChatSessions {
  constructor(
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
  ) {}

  /**
   * Returns the linked user as an actor with the scopes of the link's role. Returns `unlinked` if the account has no link,
   * and `inactive` if the user was deleted or is not active.
   */
  async of(
    { orgId, platform, workspace, account }: ChatAccount,
    { address, requestId }: Pick<Actor, 'address' | 'requestId'>,
  ): Promise<Actor | 'unlinked' | 'inactive'> {
    const link = await this.database.transaction(orgId, (em: EntityManager) =>
      em.findOne(ChatLink, { orgId, platform, workspace, account }),
    );
    if (!link) return 'unlinked';
    const [user] = await this.users.find(orgId, [{ user_id: link.userId }]);
    if (user?.status !== 'active') return 'inactive';
    const scopes = new Set(ROLE_SCOPES[link.role]);
    return { orgId, kind: 'chat', id: user.id, name: user.name, userId: user.id, scopes, address, requestId };
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { PersonalCredentials, type AuditEntry, type CredentialStore, type Leaver } from '#access';
import { auditedLink } from './audited-link.js';
import { ChatLink } from './chat-link.entity.js';

/** Deletes the chat links of users when they leave. */
@Injectable()
export class PersonalChatLinks implements CredentialStore, OnModuleInit {
  constructor(private readonly credentials: PersonalCredentials) {}

  onModuleInit(): void {
    this.credentials.add(this);
  }

  async revokeAllOf(em: EntityManager, { orgId, userId }: Leaver): Promise<AuditEntry[]> {
    const links = await em.find(ChatLink, { orgId, userId }, { orderBy: { id: 'asc' } });
    for (const link of links) em.remove(link);
    await em.flush();
    return links.map(link => ({
      action: 'chat_link.deleted',
      resourceType: 'chat_link',
      resourceId: link.id,
      before: auditedLink(link),
      after: null,
    }));
  }
}

import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { UserDirectory } from '#core';
import type { Approval } from './approval.entity.js';

/** Tells whose approvals are whose: people may see their own, and never decide them. */
@Injectable()
export class OwnApprovals {
  constructor(private readonly users: UserDirectory) {}

  /** The user of the credential as approvals name people: by id, and by the address under which they may have asked before they were known. */
  async namesOf({ orgId, userId }: Actor): Promise<string[]> {
    if (userId === undefined) return [];
    const email = (await this.users.emails(orgId, [userId])).get(userId);
    return [userId, ...(email === undefined ? [] : [email])].map(name => name.toLowerCase());
  }

  /** Whether an approval is about whoever has the names, or the credential. */
  isAbout({ userId, userEmail }: Approval, actor: Actor, names: readonly string[]): boolean {
    // A host or an identity provider may know somebody whom the directory does not.
    const own = new Set([...names, actor.id.toLowerCase()]);
    return own.has(userId) || (userEmail !== null && own.has(userEmail.toLowerCase()));
  }
}

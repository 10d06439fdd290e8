import { Injectable } from '@nestjs/common';
import { peopleBehind, type Actor } from '#access';
import { isUuid, UserDirectory } from '#core';
import type { Approval } from './approval.entity.js';

/**
 * Determines which approvals are for the caller. People may see approvals for themselves, but may not decide about
 * them.
 */
@Injectable()
export class OwnApprovals {
  constructor(private readonly users: UserDirectory) {}

  /**
   * The names under which approvals refer to the credential's user: the id and the e-mail address. A request that was
   * opened before the directory knew the user contains only the address.
   */
  async namesOf({ orgId, userId }: Actor): Promise<string[]> {
    if (userId === undefined) return [];
    const email = (await this.users.emails(orgId, [userId])).get(userId);
    return [userId, ...(email === undefined ? [] : [email])].map(name => name.toLowerCase());
  }

  /**
   * All people who may be using the credential, with the names that approvals use. The creator of a credential can also
   * use it, so creators are included.
   */
  async everybodyBehind(actor: Actor): Promise<Set<string>> {
    const people = peopleBehind(actor);
    const emails = await this.users.emails(actor.orgId, people.filter(isUuid));
    return new Set([...people, actor.id, ...emails.values()].map(name => name.toLowerCase()));
  }

  /** Whether an approval is for one of the people. */
  isAbout({ userId, userEmail }: Approval, people: ReadonlySet<string>): boolean {
    return people.has(userId) || (userEmail !== null && people.has(userEmail.toLowerCase()));
  }
}

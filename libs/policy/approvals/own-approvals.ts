import { Injectable } from '@nestjs/common';
import { peopleBehind, type Actor } from '#access';
import { isUuid, UserDirectory } from '#core';
import type { Approval } from './approval.entity.js';

/** Finds out which approvals belong to the caller. People may see their own approvals but never decide them. */
@Injectable()
export class OwnApprovals {
  constructor(private readonly users: UserDirectory) {}

  /**
   * The names of the credential's user in approvals: the id, and the e-mail address. Requests from before the directory
   * knew the user have only the address.
   */
  async namesOf({ orgId, userId }: Actor): Promise<string[]> {
    if (userId === undefined) return [];
    const email = (await this.users.emails(orgId, [userId])).get(userId);
    return [userId, ...(email === undefined ? [] : [email])].map(name => name.toLowerCase());
  }

  /**
   * All people who may be using the credential, named as in approvals. The issuer of a credential can use it too, so
   * issuers are included.
   */
  async everybodyBehind(actor: Actor): Promise<Set<string>> {
    const people = peopleBehind(actor);
    const emails = await this.users.emails(actor.orgId, people.filter(isUuid));
    return new Set([...people, actor.id, ...emails.values()].map(name => name.toLowerCase()));
  }

  /** Whether an approval is about one of the people. */
  isAbout({ userId, userEmail }: Approval, people: ReadonlySet<string>): boolean {
    return people.has(userId) || (userEmail !== null && people.has(userEmail.toLowerCase()));
  }
}

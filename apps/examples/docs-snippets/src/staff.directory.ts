import { Injectable } from '@nestjs/common';
import { UserDirectory, type DirectoryUser, type UserReference } from 'nest-llm-governance';
import { ORGANIZATION } from './session.principals.js';
import { Staff, type Person } from './staff.js';

/** Provides the host's people to decisions and usage. It does not copy them. */
@Injectable()
export class StaffDirectory extends UserDirectory {
  constructor(private readonly staff: Staff) {
    super();
  }

  override async find(orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    const people = this.peopleOf(orgId);
    return references.map(({ user_id, user_email }) => {
      const isMeant = ({ id, email }: Person): boolean =>
        user_id === undefined ? sameText(email, user_email) : sameText(id, user_id);
      const person = people.find(isMeant);
      return person && directoryUser(person);
    });
  }

  override async emails(orgId: string, userIds: readonly string[]): Promise<Map<string, string>> {
    const people = this.peopleOf(orgId).filter(({ id }) => userIds.includes(id));
    return new Map(people.map(({ id, email }) => [id, email]));
  }

  /** Does nothing, because this host does not store the time of last activity. */
  override async recordActivity(): Promise<void> {}

  private peopleOf(orgId: string): readonly Person[] {
    return orgId === ORGANIZATION ? this.staff.all() : [];
  }
}

function sameText(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}

function directoryUser({ id, email, name, team, hasLeft }: Person): DirectoryUser {
  const status = hasLeft ? 'suspended' : 'active';
  return { id, email, name, department: team, role: 'member', status, attributes: {} };
}

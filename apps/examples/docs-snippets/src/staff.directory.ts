import { Injectable } from '@nestjs/common';
import { UserDirectory, type DirectoryUser, type UserReference } from 'nest-llm-governance';
import { Staff, type Person } from './staff.js';

/** Decisions and usage know the host's people; nobody is copied. */
@Injectable()
export class StaffDirectory extends UserDirectory {
  constructor(private readonly staff: Staff) {
    super();
  }

  override async find(_orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    return references.map(({ user_id, user_email }) => {
      const person = this.staff
        .all()
        .find(({ id, email }) => (user_id ? id === user_id : email === user_email?.toLowerCase()));
      return person && directoryUser(person);
    });
  }

  override async emails(_orgId: string, userIds: readonly string[]): Promise<Map<string, string>> {
    const people = this.staff.all().filter(({ id }) => userIds.includes(id));
    return new Map(people.map(({ id, email }) => [id, email]));
  }

  /** This host keeps no time of last activity. */
  override async recordActivity(): Promise<void> {}
}

function directoryUser({ id, email, name, team, hasLeft }: Person): DirectoryUser {
  const status = hasLeft ? 'suspended' : 'active';
  return { id, email, name, department: team, role: 'member', status, attributes: {} };
}

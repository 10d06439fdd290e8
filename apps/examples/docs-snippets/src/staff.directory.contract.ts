import type { DirectoryUser } from 'nest-llm-governance';
import { userDirectoryContract } from 'nest-llm-governance/testing';
import { ORGANIZATION } from './session.principals.js';
import { StaffDirectory } from './staff.directory.js';
import { Staff, type Person } from './staff.js';

/** Use it with any test runner: `for (const { title, run } of staffDirectoryContract) it(title, run);` */
export const staffDirectoryContract = userDirectoryContract(() => {
  const staff = new Staff();
  return {
    directory: new StaffDirectory(staff),
    orgId: ORGANIZATION,
    // A person who has left is suspended. This host has no inactive people.
    statuses: ['active', 'suspended'],
    // This host stores neither roles nor attributes of people, so all people have these.
    everybody: { role: 'member', attributes: {} },
    async create(_orgId, person) {
      const id = crypto.randomUUID();
      staff.hire(personOf({ ...person, id }));
      return id;
    },
    async change(_orgId, id, person) {
      staff.hire(personOf({ ...person, id }));
    },
  };
});

function personOf({ id, email, name, department, status }: DirectoryUser): Person {
  return { id, email, name, team: department, isAdmin: false, hasLeft: status === 'suspended' };
}

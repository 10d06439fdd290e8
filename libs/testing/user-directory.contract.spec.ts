import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { UserDirectory, type DirectoryUser, type UserReference } from '#core';
import { userDirectoryContract, type ContractPerson, type UserDirectoryGround } from './user-directory.contract.js';

/** A correct directory. Each of the broken directories below differs from it in one point. */
class MemoryDirectory extends UserDirectory {
  readonly people = new Map<string, DirectoryUser & { orgId: string }>();
  isCutOff = false;

  put(orgId: string, id: string, person: ContractPerson): string {
    this.people.set(id, { ...person, id, orgId });
    return id;
  }

  of(orgId: string): (DirectoryUser & { orgId: string })[] {
    if (this.isCutOff) throw new Error('out of reach');
    return [...this.people.values()].filter(person => person.orgId === orgId);
  }

  async find(orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    const people = this.of(orgId);
    return references.map(reference => people.find(person => this.matches(person, reference)));
  }

  matches({ id, email }: DirectoryUser, { user_id, user_email }: UserReference): boolean {
    if (user_id !== undefined) return id === user_id.toLowerCase();
    return email.toLowerCase() === user_email?.toLowerCase();
  }

  async emails(orgId: string, userIds: readonly string[]): Promise<Map<string, string>> {
    const known = this.of(orgId).filter(({ id }) => userIds.includes(id));
    return new Map(known.map(({ id, email }) => [id, email]));
  }

  async recordActivity(): Promise<void> {}
}

type Everybody = UserDirectoryGround['everybody'];

async function failuresOf(make: () => MemoryDirectory, everybody?: Everybody): Promise<string[]> {
  const cases = userDirectoryContract(() => {
    const directory = make();
    return {
      directory,
      orgId: 'here',
      ...(everybody ? { everybody } : {}),
      create: async (orgId, person) => directory.put(orgId, randomUUID(), person),
      change: async (orgId, id, person) => void directory.put(orgId, id, person),
      cutOff: async () => void (directory.isCutOff = true),
    };
  });
  const failures = await Promise.all(
    cases.map(({ title, run }) =>
      run().then(
        () => [],
        () => [title],
      ),
    ),
  );
  return failures.flat();
}

class CaseSensitive extends MemoryDirectory {
  override matches({ id, email }: DirectoryUser, { user_id, user_email }: UserReference): boolean {
    return user_id === undefined ? email === user_email : id === user_id.toLowerCase();
  }
}

class EverybodyEverywhere extends MemoryDirectory {
  override of(): (DirectoryUser & { orgId: string })[] {
    if (this.isCutOff) throw new Error('out of reach');
    return [...this.people.values()];
  }
}

class WithoutGaps extends MemoryDirectory {
  override async find(orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    return (await super.find(orgId, references)).filter(user => user !== undefined);
  }
}

class Forgetful extends MemoryDirectory {
  /** Never invalidates its cache. */
  override put(orgId: string, id: string, person: ContractPerson): string {
    return this.people.has(id) ? id : super.put(orgId, id, person);
  }
}

class TakesOutagesForAbsence extends MemoryDirectory {
  override of(orgId: string): (DirectoryUser & { orgId: string })[] {
    return this.isCutOff ? [] : super.of(orgId);
  }
}

class Either extends MemoryDirectory {
  override matches({ id, email }: DirectoryUser, { user_id, user_email }: UserReference): boolean {
    return id === user_id?.toLowerCase() || email.toLowerCase() === user_email?.toLowerCase();
  }
}

class Throwing extends MemoryDirectory {
  override async find(orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    const found = await super.find(orgId, references);
    if (found.includes(undefined)) throw new Error('there is nobody of this name');
    return found;
  }
}

class Writing extends MemoryDirectory {
  override async recordActivity(
    tx: { query(sql: string): Promise<unknown> } = { query: async () => [] },
  ): Promise<void> {
    await tx.query('update people set seen = now()');
  }
}

/** Reports every user as an administrator. */
class Promoting extends MemoryDirectory {
  override put(orgId: string, id: string, person: ContractPerson): string {
    return super.put(orgId, id, { ...person, role: 'admin' });
  }
}

class WithAttributesOfItsOwn extends MemoryDirectory {
  override put(orgId: string, id: string, person: ContractPerson): string {
    return super.put(orgId, id, { ...person, attributes: { level: 99 } });
  }
}

/** Merges new attributes into the old ones instead of replacing them. */
class KeepingAttributes extends MemoryDirectory {
  override put(orgId: string, id: string, person: ContractPerson): string {
    const attributes = { ...this.people.get(id)?.attributes, ...person.attributes };
    return super.put(orgId, id, { ...person, attributes });
  }
}

class WithoutRoles extends MemoryDirectory {
  override put(orgId: string, id: string, person: ContractPerson): string {
    return super.put(orgId, id, { ...person, role: 'member', attributes: {} });
  }
}

const ALL = 'finds a person by id, with all fields that decisions use';
const OTHER_ROLE = 'reports changes of the role and the attributes within a second';

describe('the contract of directories', () => {
  it('is passed by a directory that keeps it', async () => {
    expect(await failuresOf(() => new MemoryDirectory())).toEqual([]);
  });

  it('is passed by a directory that returns the same for everybody, if that is expected', async () => {
    const everybody = { role: 'member', attributes: {} };
    expect(await failuresOf(() => new WithoutRoles(), everybody)).toEqual([]);
    expect(await failuresOf(() => new WithoutRoles())).toEqual([ALL, OTHER_ROLE]);
    expect(await failuresOf(() => new Promoting(), everybody)).toEqual([ALL, OTHER_ROLE]);
    expect(await failuresOf(() => new WithoutRoles(), { role: 'member' })).toEqual([ALL, OTHER_ROLE]);
  });

  it.each([
    ['makes every user an administrator', Promoting, [ALL, OTHER_ROLE]],
    ['adds attributes', WithAttributesOfItsOwn, [ALL, OTHER_ROLE]],
    ['never removes an attribute', KeepingAttributes, [OTHER_ROLE]],
    ['compares addresses with case', CaseSensitive, ['finds a person by e-mail address without case']],
    ['ignores organizations', EverybodyEverywhere, ['keeps organizations apart']],
    [
      'omits unknown users from the answer',
      WithoutGaps,
      ['answers in the order of the references, with undefined for an unknown person', 'keeps organizations apart'],
    ],
    [
      'does not report changes',
      Forgetful,
      [
        'reports within a second that a person is suspended, and that the suspension has ended',
        'reports a change of the department within a second',
        OTHER_ROLE,
        'finds a person by the new e-mail address only, within a second',
      ],
    ],
    [
      'treats an outage as an unknown user',
      TakesOutagesForAbsence,
      ['throws or still knows the person, and never returns undefined, while its source is unreachable'],
    ],
    ['also finds a user by the address if both are given', Either, ['uses the id if both id and address are given']],
    [
      'throws for unknown users',
      Throwing,
      expect.arrayContaining(['returns undefined for references that match no person, and does not throw']),
    ],
    [
      'writes times of activity that the ground cannot read',
      Writing,
      ['accepts times of activity in any order, also of unknown people, and keeps the latest'],
    ],
  ] as const)('is failed by a directory that %s', async (_what, Broken, titles) => {
    expect(await failuresOf(() => new Broken())).toEqual(titles);
  });
});

import { UserDirectory, type DirectoryUser, type SqlTransaction, type UserReference } from '#core';

/** A person for tests: an e-mail address, and the fields that differ from an active member without a department. */
export type TestPerson = Pick<DirectoryUser, 'email'> & Partial<DirectoryUser>;

/** The people of a test, the same in every organization. Without a list, every person is an active member. */
export class PeopleInMemory extends UserDirectory {
  private readonly people = new Map<string, DirectoryUser>();

  /** @param listed undefined if every person is known */
  constructor(private readonly listed: readonly TestPerson[] | undefined) {
    super();
    for (const person of listed ?? []) this.add(person);
  }

  override async find(_orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    return references.map(reference => this.known(reference) ?? this.newcomer(reference));
  }

  override async emails(_orgId: string, userIds: readonly string[]): Promise<Map<string, string>> {
    const known = [...this.people.values()].filter(({ id }) => userIds.includes(id));
    return new Map(known.map(({ id, email }) => [id, email]));
  }

  override async recordActivity(
    _tx: SqlTransaction,
    _orgId: string,
    _lastSeen: ReadonlyMap<string, Date>,
  ): Promise<void> {}

  private known({ user_id, user_email }: UserReference): DirectoryUser | undefined {
    const people = [...this.people.values()];
    if (user_id !== undefined) return people.find(({ id }) => id === user_id.toLowerCase());
    return people.find(({ email }) => email.toLowerCase() === user_email?.toLowerCase());
  }

  private newcomer({ user_id, user_email }: UserReference): DirectoryUser | undefined {
    if (this.listed || (user_id === undefined && user_email === undefined)) return undefined;
    return this.add({ email: user_email ?? `${user_id}@example.com`, ...(user_id && { id: user_id }) });
  }

  private add(person: TestPerson): DirectoryUser {
    const id = (person.id ?? crypto.randomUUID()).toLowerCase();
    const user: DirectoryUser = {
      ...{ name: person.email, department: null, role: 'member', status: 'active', attributes: {} },
      ...person,
      id,
    };
    this.people.set(id, user);
    return user;
  }
}

import { UserDirectory, type DirectoryUser, type UserReference } from 'nest-llm-governance';
import type { Pool } from 'pg';

interface Row {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** The meter's own table of people. */
export class People extends UserDirectory {
  /** The number of created instances. It must be one, which the host and governance share. */
  static made = 0;

  constructor(private readonly pool: Pool) {
    super();
    People.made++;
  }

  override async find(_orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    const { rows } = await this.pool.query<Row>('select id, email, name from people');
    return references.map(({ user_id, user_email }) => {
      const person = rows.find(({ id, email }) => (user_id === undefined ? email === user_email : id === user_id));
      return person && { ...person, department: null, role: 'member', status: 'active', attributes: {} };
    });
  }

  override async emails(_orgId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await this.pool.query<Row>('select id, email, name from people where id = any($1)', [[...ids]]);
    return new Map(rows.map(({ id, email }) => [id, email]));
  }

  override async recordActivity(): Promise<void> {}
}

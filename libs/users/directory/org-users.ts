import type { DirectoryUser, JsonObject, SqlTransaction, UserReference } from '#core';
import { emailKey } from '../email-address.js';
import { CHANGED_SINCE, NEWEST_VERSION, NEXT_BY_ID, ROWS_PER_READ, type DirectoryRow } from './directory-row.js';

const NO_ATTRIBUTES: JsonObject = Object.freeze({});

/**
 * The users of one organization in memory, by id and by e-mail address. Equal departments, roles and empty attributes
 * are held once, because an organization may have 100,000 people.
 */
export class OrgUsers {
  private readonly byId = new Map<string, DirectoryUser>();
  private readonly byEmail = new Map<string, DirectoryUser>();
  private readonly texts = new Map<string, string>();
  /** Every change up to this version is here. */
  private version = 0;

  /** The user for a reference: its id where it has one, otherwise its e-mail address without case. */
  find({ user_id: id, user_email: email }: UserReference): DirectoryUser | undefined {
    if (id !== undefined) return this.byId.get(id) ?? this.byId.get(id.toLowerCase());
    if (email === undefined) return undefined;
    return this.byEmail.get(email) ?? this.byEmail.get(emailKey(email));
  }

  /** Reads everybody. What changes between two of its statements is newer than the version noted first. */
  async readAll(tx: SqlTransaction, orgId: string): Promise<void> {
    const [newest] = await tx.query<{ version: string }>(NEWEST_VERSION, [orgId]);
    let lastId: string | null = null;
    for (;;) {
      const rows: DirectoryRow[] = await tx.query<DirectoryRow>(NEXT_BY_ID, [orgId, lastId]);
      for (const row of rows) this.put(row);
      lastId = rows.at(-1)?.id ?? null;
      if (rows.length < ROWS_PER_READ) break;
    }
    this.version = Number(newest?.version ?? 0);
    await this.readChanges(tx, orgId);
  }

  /** Reads what has changed. One call at a time: an older answer must not arrive after a newer one. */
  async readChanges(tx: SqlTransaction, orgId: string): Promise<void> {
    for (;;) {
      const rows = await tx.query<DirectoryRow>(CHANGED_SINCE, [orgId, this.version]);
      for (const row of rows) this.put(row);
      this.version = Number(rows.at(-1)?.change_version ?? this.version);
      if (rows.length < ROWS_PER_READ) return;
    }
  }

  private put(row: DirectoryRow): void {
    const former = this.byId.get(row.id);
    const formerKey = former && emailKey(former.email);
    // The former address may belong to somebody else by now.
    if (formerKey !== undefined && this.byEmail.get(formerKey) === former) this.byEmail.delete(formerKey);
    const user: DirectoryUser = {
      id: row.id,
      email: row.email,
      name: row.name,
      department: row.department === null ? null : this.shared(row.department),
      role: this.shared(row.role),
      status: row.status === 'active' ? 'active' : row.status === 'inactive' ? 'inactive' : 'suspended',
      // The column holds JSON objects only, written by this library.
      attributes: row.attributes === '{}' ? NO_ATTRIBUTES : (JSON.parse(row.attributes) as JsonObject),
    };
    this.byId.set(user.id, user);
    this.byEmail.set(row.email_key === user.email ? user.email : row.email_key, user);
  }

  private shared(text: string): string {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    this.texts.set(text, text);
    return text;
  }
}

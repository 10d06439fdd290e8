import type { DirectoryUser, JsonObject, UserReference } from '#core';
import type { RowsInMemory } from '#database';
import { emailKey } from '../email-address.js';
import type { DirectoryRow } from './directory-row.js';

const NO_ATTRIBUTES: JsonObject = Object.freeze({});

/**
 * In-memory index of one organization's users, by id and e-mail address. Equal departments, roles and empty attributes
 * share one object, because an organization may have 100,000 users.
 */
export class OrgUsers implements RowsInMemory<DirectoryRow> {
  private readonly byId = new Map<string, DirectoryUser>();
  private readonly byEmail = new Map<string, DirectoryUser>();
  private readonly texts = new Map<string, string>();

  /** The user for a reference: by its id if given, otherwise by its e-mail address in lower case. */
  find({ user_id: id, user_email: email }: UserReference): DirectoryUser | undefined {
    if (id !== undefined) return this.byId.get(id) ?? this.byId.get(id.toLowerCase());
    if (email === undefined) return undefined;
    return this.byEmail.get(email) ?? this.byEmail.get(emailKey(email));
  }

  put(row: DirectoryRow): void {
    const former = this.byId.get(row.id);
    const formerKey = former && emailKey(former.email);
    // Another user may already have the former address.
    if (formerKey !== undefined && this.byEmail.get(formerKey) === former) this.byEmail.delete(formerKey);
    const user: DirectoryUser = {
      id: row.id,
      email: row.email,
      name: row.name,
      department: row.department === null ? null : this.shared(row.department),
      role: this.shared(row.role),
      status: row.status === 'active' ? 'active' : row.status === 'inactive' ? 'inactive' : 'suspended',
      // The column contains only JSON objects that this library wrote.
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

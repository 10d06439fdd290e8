import type { DirectoryUser, JsonObject, UserReference } from '#core';
import type { RowsInMemory } from '#database';
import { emailKey } from '../email-address.js';
import type { DirectoryRow } from './directory-row.js';

const NO_ATTRIBUTES: JsonObject = Object.freeze({});

/**
 * In-memory index of one organization's users, by id and e-mail address. Users share the objects of equal departments,
 * equal roles and empty attributes, which saves memory: an organization may have 100,000 users.
 */
export class OrgUsers implements RowsInMemory<DirectoryRow> {
  private readonly byId = new Map<string, DirectoryUser>();
  private readonly byEmail = new Map<string, DirectoryUser>();
  private readonly texts = new Map<string, string>();

  /**
   * Finds the user to whom a reference points: by id if the reference has one, otherwise by e-mail address in lower
   * case.
   */
  find({ user_id: id, user_email: email }: UserReference): DirectoryUser | undefined {
    if (id !== undefined) return this.byId.get(id) ?? this.byId.get(id.toLowerCase());
    if (email === undefined) return undefined;
    return this.byEmail.get(email) ?? this.byEmail.get(emailKey(email));
  }

  put(row: DirectoryRow): void {
    const former = this.byId.get(row.id);
    const formerKey = former && emailKey(former.email);
    // Another user may already have this user's former address.
    if (formerKey !== undefined && this.byEmail.get(formerKey) === former) this.byEmail.delete(formerKey);
    const user: DirectoryUser = {
      id: row.id,
      email: row.email,
      name: row.name,
      department: row.department === null ? null : this.shared(row.department),
      role: this.shared(row.role),
      status: row.status === 'active' ? 'active' : row.status === 'inactive' ? 'inactive' : 'suspended',
      // This library has written the column, and writes only JSON objects.
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

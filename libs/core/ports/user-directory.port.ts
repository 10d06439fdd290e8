import type { JsonObject } from '../text.js';
import type { SqlTransaction } from './sql-transaction.port.js';

/** Status of a user. `suspended` means that LLM access was revoked. */
export type UserStatus = 'active' | 'inactive' | 'suspended';

/** The attributes of a user that decisions use. */
export interface DirectoryUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly department: string | null;
  readonly role: string;
  readonly status: UserStatus;
  /** Custom attributes that the organization defines. Conditions refer to them as `attributes.<key>`. */
  readonly attributes: JsonObject;
}

/** Refers to a user by id. If the caller does not know the id, by e-mail address (case-insensitive). */
export interface UserReference {
  user_id?: string | undefined;
  user_email?: string | undefined;
}

/**
 * Directory of the users of an organization. Decisions and usage ingestion call it on every request, so it must answer
 * from memory. A suspension must take effect everywhere within one second.
 */
export abstract class UserDirectory {
  /**
   * The users in the order of the references; undefined for an unknown user. Called for every decision and once per
   * usage batch, also repeatedly. Throw only if the directory cannot be reached: the caller then answers 503 and does
   * not assume "unknown user".
   */
  abstract find(orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]>;

  /**
   * The status of a user within a running transaction; undefined if the id is unknown. Called before a credential is
   * stored for the user, so that a user who leaves at the same moment gets no credential. A directory in the same
   * database should read the user's row with a share lock. The default implementation calls {@link find}.
   */
  async statusWithin(_tx: SqlTransaction, orgId: string, userId: string): Promise<UserStatus | undefined> {
    const [user] = await this.find(orgId, [{ user_id: userId }]);
    return user?.status;
  }

  /**
   * Departure dates by user id, past and future. Users without a date are omitted. Called by anomaly detection, for a
   * few hundred users at a time. The default implementation returns no dates.
   */
  async departuresWithin(_tx: SqlTransaction, _orgId: string, _userIds: readonly string[]): Promise<Map<string, Date>> {
    return new Map();
  }

  /** E-mail addresses by user id, for reports. Ids of deleted users are omitted. */
  abstract emails(orgId: string, userIds: readonly string[]): Promise<Map<string, string>>;

  /**
   * Records when users last used an LLM. Called inside the transaction that stores the usage. A directory without such
   * a field does nothing. Times may arrive late and out of order: keep the latest time.
   */
  abstract recordActivity(tx: SqlTransaction, orgId: string, lastSeen: ReadonlyMap<string, Date>): Promise<void>;
}

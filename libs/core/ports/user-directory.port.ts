import type { JsonObject } from '../text.js';
import type { SqlTransaction } from './sql-transaction.port.js';

/** Status of a person. `suspended` means that LLM access was revoked. */
export type UserStatus = 'active' | 'inactive' | 'suspended';

/** The data of a person that decisions use. */
export interface DirectoryUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly department: string | null;
  readonly role: string;
  readonly status: UserStatus;
  /** The organization's own attributes, addressed in conditions as `attributes.<key>`. */
  readonly attributes: JsonObject;
}

/** A person named by id or, where the id is unknown to the caller, by e-mail address (compared without case). */
export interface UserReference {
  user_id?: string | undefined;
  user_email?: string | undefined;
}

/**
 * Directory of the people of an organization. Decisions and usage ingestion call it on every request, so it must
 * answer from memory and be current: a suspension must apply everywhere within one second.
 */
export abstract class UserDirectory {
  /**
   * The users in the order of the references; undefined for an unknown one. Called for every decision and once per
   * usage batch; may repeat. Throw only when the directory cannot be reached: the caller answers 503 and never takes
   * it as "unknown user".
   */
  abstract find(orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]>;

  /**
   * The status of a user as a running transaction sees it; undefined where nobody has the id. Asked before a credential
   * is stored for the user, so that none is made for somebody who leaves at the same moment. A directory in the same
   * database answers from the user's row and locks it in share mode; by default, the answer is that of {@link find}.
   */
  async statusWithin(_tx: SqlTransaction, orgId: string, userId: string): Promise<UserStatus | undefined> {
    const [user] = await this.find(orgId, [{ user_id: userId }]);
    return user?.status;
  }

  /**
   * When some people leave or have left, by user id; those without a date are missing. Asked by the detection of
   * anomalies, a few hundred people at a time. By default, nobody leaves.
   */
  async departuresWithin(_tx: SqlTransaction, _orgId: string, _userIds: readonly string[]): Promise<Map<string, Date>> {
    return new Map();
  }

  /** E-mail addresses for user ids, for reports. Ids of people who are gone are simply missing. */
  abstract emails(orgId: string, userIds: readonly string[]): Promise<Map<string, string>>;

  /**
   * Reports when users last used an LLM. Called inside the transaction that stores the usage; a directory that keeps
   * no such time does nothing. Times may come late and out of order: keep the latest.
   */
  abstract recordActivity(tx: SqlTransaction, orgId: string, lastSeen: ReadonlyMap<string, Date>): Promise<void>;
}

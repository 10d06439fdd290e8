import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';

/** Data about a user from the identity provider that the user's own record does not contain. */
export interface ScimProfile {
  userName: string;
  userNameKey: string;
  externalId: string | null;
  /** Further addresses of the user, in lower case. */
  otherEmailKeys: string[];
  /** The department attribute of the enterprise extension. */
  department: string | null;
  /** All other stored attributes. */
  profile: JsonObject;
}

/** A user as an identity provider sees it. */
@Entity({ tableName: 'scim_users', schema: 'governance' })
export class ScimUser {
  [PrimaryKeyProp]?: ['orgId', 'userId'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  /** The userName as given. Null if the e-mail address serves as userName. */
  @Property({ type: 'text', nullable: true })
  userName!: string | null;

  @Property({ type: 'text', nullable: true })
  userNameKey!: string | null;

  @Property({ type: 'text', nullable: true })
  externalId!: string | null;

  @Property({ type: 'text[]' })
  otherEmailKeys!: string[];

  @Property({ type: 'text', nullable: true })
  department!: string | null;

  /** The department that the department rule set last. */
  @Property({ type: 'text', nullable: true })
  assignedDepartment!: string | null;

  @Property({ type: 'json' })
  profile!: JsonObject;

  /**
   * Whether the user was inactive before the identity provider revoked access. If so, the user becomes inactive again
   * when access returns.
   */
  @Property({ type: 'boolean' })
  wasInactive!: boolean;

  /**
   * Time at which the identity provider removed the user. The user then remains in the organization, but is locked out.
   */
  @Property({ type: 'timestamptz', nullable: true })
  deletedAt!: Date | null;

  /** An empty record for a user without SCIM data. */
  static of(orgId: string, userId: string): ScimUser {
    return Object.assign(new ScimUser(), {
      ...{ orgId, userId, userName: null, userNameKey: null, externalId: null, department: null },
      ...{ otherEmailKeys: [], assignedDepartment: null, profile: {}, wasInactive: false, deletedAt: null },
    });
  }

  /** Stores the sent data. */
  describe(profile: ScimProfile): void {
    Object.assign(this, profile);
  }

  /** All fields that can change. */
  state(): JsonObject {
    const { userName, externalId, department, assignedDepartment, profile, deletedAt } = this;
    return { userName, externalId, department, assignedDepartment, profile, isDeleted: deletedAt !== null };
  }

  /** The audit log's representation. */
  audited(): JsonObject {
    const { userName, externalId, profile, deletedAt } = this;
    return { scim: { user_name: userName, external_id: externalId, deleted: deletedAt !== null, profile } };
  }
}

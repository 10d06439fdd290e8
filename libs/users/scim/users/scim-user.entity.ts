import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';

/** What an identity provider said of a user beyond what the user's own record holds. */
export interface ScimProfile {
  userName: string;
  userNameKey: string;
  externalId: string | null;
  /** Further addresses, without case. */
  otherEmailKeys: string[];
  /** The enterprise attribute. */
  department: string | null;
  /** All other attributes that are kept. */
  profile: JsonObject;
}

/** A user as an identity provider sees one. */
@Entity({ tableName: 'scim_users', schema: 'governance' })
export class ScimUser {
  [PrimaryKeyProp]?: ['orgId', 'userId'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  /** As it was given; null where the e-mail address stands in for it. */
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

  /** The department that the rule set last. */
  @Property({ type: 'text', nullable: true })
  assignedDepartment!: string | null;

  @Property({ type: 'json' })
  profile!: JsonObject;

  /** Whether the user was inactive when the identity provider took access away, and is to be so when it gives it back. */
  @Property({ type: 'boolean' })
  wasInactive!: boolean;

  /** When the identity provider removed the user, who stays in the organization, locked out. */
  @Property({ type: 'timestamptz', nullable: true })
  deletedAt!: Date | null;

  /** The record of somebody of whom nothing has been said yet. */
  static of(orgId: string, userId: string): ScimUser {
    return Object.assign(new ScimUser(), {
      ...{ orgId, userId, userName: null, userNameKey: null, externalId: null, department: null },
      ...{ otherEmailKeys: [], assignedDepartment: null, profile: {}, wasInactive: false, deletedAt: null },
    });
  }

  /** Takes over what was said. */
  describe(profile: ScimProfile): void {
    Object.assign(this, profile);
  }

  /** All that can change. */
  state(): JsonObject {
    const { userName, externalId, department, assignedDepartment, profile, deletedAt } = this;
    return { userName, externalId, department, assignedDepartment, profile, isDeleted: deletedAt !== null };
  }

  /** As the audit log keeps it. */
  audited(): JsonObject {
    const { userName, externalId, profile, deletedAt } = this;
    return { scim: { user_name: userName, external_id: externalId, deleted: deletedAt !== null, profile } };
  }
}

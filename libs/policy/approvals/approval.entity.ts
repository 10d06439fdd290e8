import { BigIntType } from '@mikro-orm/core';
import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';
import { OrgRecord } from '#database';
import type { ApprovalStatus } from './approval-status.js';
import { ApprovalDecidedError, NoGrantError } from './approval.errors.js';

/** The approver who decided about a request. */
export interface ApprovalDecider {
  kind: string;
  /** Id of the token or subject. */
  id: string;
  name: string;
  /** The user of the credential, if there is one. */
  user_id: string | null;
  /**
   * Whether the credential belongs to a user and was not created by a service token. Undefined in approvals from before
   * this field existed.
   */
  person?: boolean;
  /** The people who created the credential, except its own user. */
  issued_by?: string[];
  /**
   * True if a service token created this credential, directly or through other credentials. `user_id` then does not
   * prove who used the credential.
   */
  issued_by_nobody?: true;
}

/**
 * A request for approval, and the grant if an approver approves it: a person may use a model that a policy protects.
 */
@Entity({ tableName: 'approvals', schema: 'governance' })
export class Approval extends OrgRecord {
  @Property({ type: 'uuid' })
  policyId!: string;

  /** Name of the policy at the time of the first request. */
  @Property({ type: 'text' })
  policyName!: string;

  /** The person's id, or the e-mail address if the directory does not contain the person. In lower case. */
  @Property({ type: 'text' })
  userId!: string;

  @Property({ type: 'text', nullable: true })
  userEmail!: string | null;

  /** The provider in the first request. */
  @Property({ type: 'text' })
  provider!: string;

  @Property({ type: 'text' })
  model!: string;

  /** The stored status. It may be outdated; {@link statusAt} also considers the end. */
  @Property({ type: 'text' })
  status!: ApprovalStatus;

  /** Number of decisions that were refused because approval was missing. */
  @Property({ type: new BigIntType('number') })
  requests!: number;

  @Property({ type: 'timestamptz' })
  requestedAt!: Date;

  @Property({ type: 'timestamptz' })
  lastRequestedAt!: Date;

  /** Time of the last approval, denial or revocation. */
  @Property({ type: 'timestamptz', nullable: true })
  decidedAt!: Date | null;

  @Property({ type: 'json', nullable: true })
  decidedBy!: ApprovalDecider | null;

  @Property({ type: 'text', nullable: true })
  reason!: string | null;

  /** For a pending request, the time when it expires. For a grant, the time when it ends. */
  @Property({ type: 'timestamptz' })
  expiresAt!: Date;

  /** The status at a given time. Pending requests and grants expire at `expiresAt`. */
  statusAt(now: Date): ApprovalStatus {
    const isOver = (this.status === 'pending' || this.status === 'approved') && this.expiresAt <= now;
    return isOver ? 'expired' : this.status;
  }

  /**
   * Approves the request until a given time.
   * @throws ApprovalDecidedError if the request is no longer pending
   */
  approve(by: ApprovalDecider, until: Date, reason: string | null, now: Date): void {
    this.requirePending(now);
    this.decide('approved', by, reason, now);
    this.expiresAt = until;
  }

  /**
   * Denies the request.
   * @throws ApprovalDecidedError if the request is no longer pending
   */
  deny(by: ApprovalDecider, reason: string | null, now: Date): void {
    this.requirePending(now);
    this.decide('denied', by, reason, now);
  }

  /**
   * Revokes the grant.
   * @throws NoGrantError if there is no active grant
   */
  revoke(by: ApprovalDecider, reason: string | null, now: Date): void {
    const status = this.statusAt(now);
    if (status !== 'approved') throw new NoGrantError(status);
    this.decide('revoked', by, reason, now);
  }

  /** The approval as the audit log records it. */
  audited(): JsonObject {
    return {
      policy_id: this.policyId,
      policy_name: this.policyName,
      user_id: this.userId,
      user_email: this.userEmail,
      model: this.model,
      status: this.status,
      reason: this.reason,
      expires_at: this.expiresAt.toISOString(),
    };
  }

  private requirePending(now: Date): void {
    const status = this.statusAt(now);
    if (status !== 'pending') throw new ApprovalDecidedError(status);
  }

  private decide(status: ApprovalStatus, by: ApprovalDecider, reason: string | null, now: Date): void {
    this.status = status;
    this.decidedBy = by;
    this.decidedAt = now;
    this.reason = reason;
  }
}

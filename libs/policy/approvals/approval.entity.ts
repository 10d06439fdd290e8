import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';
import type { ApprovalStatus } from './approval-status.js';
import { ApprovalDecidedError, NoGrantError } from './approval.errors.js';

/** Who decided an approval. */
export interface ApprovalDecider {
  kind: string;
  /** The token's or the subject's identifier. */
  id: string;
  name: string;
  /** The user behind the credential, where there is one. */
  user_id: string | null;
  /** Whether a user was behind the credential, and no credential of nobody had made it. Missing in decisions that are older than this field. */
  person?: boolean;
  /** The people who issued the credential, where they are not its user. */
  issued_by?: string[];
  /** True where nobody stood behind a credential with which this one was made: the user is only who it is meant for. */
  issued_by_nobody?: true;
}

/** What somebody may be granted: a model that a policy wants to be asked for first. */
@Entity({ tableName: 'approvals', schema: 'governance' })
export class Approval {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'uuid' })
  policyId!: string;

  /** As it was when the approval was first asked for. */
  @Property({ type: 'text' })
  policyName!: string;

  /** The person's id; the e-mail address of people whom the directory does not know. In small letters. */
  @Property({ type: 'text' })
  userId!: string;

  @Property({ type: 'text', nullable: true })
  userEmail!: string | null;

  /** The provider that was named when the approval was first asked for. */
  @Property({ type: 'text' })
  provider!: string;

  @Property({ type: 'text' })
  model!: string;

  /** As it was last written; {@link statusAt} knows what has expired since. */
  @Property({ type: 'text' })
  status!: ApprovalStatus;

  /** Decisions that were refused for want of this approval. */
  @Property({ type: new BigIntType('number') })
  requests!: number;

  @Property({ type: 'timestamptz' })
  requestedAt!: Date;

  @Property({ type: 'timestamptz' })
  lastRequestedAt!: Date;

  /** When somebody approved, denied or revoked it, whichever was last. */
  @Property({ type: 'timestamptz', nullable: true })
  decidedAt!: Date | null;

  @Property({ type: 'json', nullable: true })
  decidedBy!: ApprovalDecider | null;

  @Property({ type: 'text', nullable: true })
  reason!: string | null;

  /** When a request that nobody has decided expires; once it is approved, when the grant ends. */
  @Property({ type: 'timestamptz' })
  expiresAt!: Date;

  /** Where it stands at a time: what is pending or granted ends by itself. */
  statusAt(now: Date): ApprovalStatus {
    const isOver = (this.status === 'pending' || this.status === 'approved') && this.expiresAt <= now;
    return isOver ? 'expired' : this.status;
  }

  /** Grants what was asked for, until a time. @throws ApprovalDecidedError where it is not pending any more */
  approve(by: ApprovalDecider, until: Date, reason: string | null, now: Date): void {
    this.requirePending(now);
    this.decide('approved', by, reason, now);
    this.expiresAt = until;
  }

  /** Refuses what was asked for. @throws ApprovalDecidedError where it is not pending any more */
  deny(by: ApprovalDecider, reason: string | null, now: Date): void {
    this.requirePending(now);
    this.decide('denied', by, reason, now);
  }

  /** Takes the grant back. @throws NoGrantError where none holds */
  revoke(by: ApprovalDecider, reason: string | null, now: Date): void {
    const status = this.statusAt(now);
    if (status !== 'approved') throw new NoGrantError(status);
    this.decide('revoked', by, reason, now);
  }

  /** As the audit log keeps it. */
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

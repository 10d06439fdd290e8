import { Injectable } from '@nestjs/common';
import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { isPerson, type Actor } from '#access';
import { ChangeFeed, OrgDatabase } from '#database';
import { ApprovalHistory } from './approval-history.js';
import { ApprovalTerms } from './approval-terms.js';
import { Approval, type ApprovalDecider } from './approval.entity.js';
import { ApprovalNotFoundError, OwnApprovalError } from './approval.errors.js';
import { APPROVALS_TOPIC } from './organization-grants.js';
import { OwnApprovals } from './own-approvals.js';

/** Input of the approver. */
export interface Grounds {
  /** At most 1,000 characters. */
  reason?: string | undefined;
}

/** Presents an approval with its status at the given time. */
export type ShowApproval<Item> = (approval: Approval, now: Date) => Item;

/**
 * Approves and denies requests, and revokes grants. If several approvers decide at the same time, the first decision
 * counts; the other approvers get an error with its result. A change takes effect on this replica before the call
 * returns, and on all other replicas within a second.
 */
@Injectable()
export class ApprovalService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly history: ApprovalHistory,
    private readonly people: OwnApprovals,
    private readonly terms: ApprovalTerms,
  ) {}

  /**
   * One approval. A caller with only the scope approvals:read:own sees its own user's approvals.
   * @throws ApprovalNotFoundError
   */
  async get<Item>(actor: Actor, id: string, show: ShowApproval<Item>): Promise<Item> {
    const approval = await this.database.transaction(actor.orgId, em => existing(em, actor.orgId, id));
    const mayRead = actor.scopes.has('approvals:read') || (await this.people.namesOf(actor)).includes(approval.userId);
    if (!mayRead) throw new ApprovalNotFoundError(id);
    return show(approval, this.terms.now());
  }

  /**
   * Approves a request: the policy then allows this person to use this model. Default end: 24 hours from now, unless
   * the options set another default.
   * @throws ApprovalNotFoundError
   * @throws PersonRequiredError if the options require a person and the actor is not proven to be one
   * @throws OwnApprovalError if the approval is for the actor, or for a person who created the actor's credential
   * @throws ApprovalDecidedError if the request is no longer pending
   * @throws BadRequestError if the end is not in the future, or is more than 90 days away
   */
  async approve<Item>(
    actor: Actor,
    id: string,
    { expiresAt, reason }: Grounds & { expiresAt?: Date | undefined },
    show: ShowApproval<Item>,
  ): Promise<Item> {
    this.terms.checkPerson(actor);
    return this.decide(actor, id, 'approved', show, (approval, by, now) =>
      approval.approve(by, this.terms.endOfGrant(expiresAt, now), reason ?? null, now),
    );
  }

  /**
   * Denies a request. The next refused decision opens a new request.
   * @throws ApprovalNotFoundError
   * @throws PersonRequiredError if the options require a person and the actor is not proven to be one
   * @throws OwnApprovalError if the approval is for the actor, or for a person who created the actor's credential
   * @throws ApprovalDecidedError if the request is no longer pending
   */
  async deny<Item>(actor: Actor, id: string, { reason }: Grounds, show: ShowApproval<Item>): Promise<Item> {
    this.terms.checkPerson(actor);
    return this.decide(actor, id, 'denied', show, (approval, by, now) => approval.deny(by, reason ?? null, now));
  }

  /**
   * Revokes a grant before its end.
   * @throws ApprovalNotFoundError
   * @throws OwnApprovalError if the approval is for the actor, or for a person who created the actor's credential
   * @throws NoGrantError if no grant is active
   */
  revoke<Item>(actor: Actor, id: string, { reason }: Grounds, show: ShowApproval<Item>): Promise<Item> {
    return this.decide(actor, id, 'revoked', show, (approval, by, now) => approval.revoke(by, reason ?? null, now));
  }

  private async decide<Item>(
    actor: Actor,
    id: string,
    verb: 'approved' | 'denied' | 'revoked',
    show: ShowApproval<Item>,
    change: (approval: Approval, by: ApprovalDecider, now: Date) => void,
  ): Promise<Item> {
    const { orgId } = actor;
    const people = await this.people.everybodyBehind(actor);
    const approval = await this.database.transaction(orgId, async em => {
      // Locks the row until the commit. A concurrent approver waits here, and then finds that the request was decided.
      const found = await existing(em, orgId, id, LockMode.PESSIMISTIC_WRITE);
      if (this.people.isAbout(found, people)) throw new OwnApprovalError();
      const before = found.audited();
      change(found, deciderOf(actor), this.terms.now());
      await em.flush();
      await this.changes.mark(em, orgId, APPROVALS_TOPIC);
      const after = { ...found.audited(), decided_by_person: isPerson(actor), ...issuersOf(actor) };
      await this.history.decided(em, actor, verb, { id, before, after });
      return found;
    });
    await this.changes.refresh(orgId);
    return show(approval, this.terms.now());
  }
}

async function existing(em: EntityManager, orgId: string, id: string, lockMode?: LockMode): Promise<Approval> {
  const approval = await em.findOne(Approval, { orgId, id }, lockMode === undefined ? {} : { lockMode });
  if (!approval) throw new ApprovalNotFoundError(id);
  return approval;
}

function deciderOf(actor: Actor): ApprovalDecider {
  const { kind, id, name, userId } = actor;
  return { kind, id, name, user_id: userId ?? null, person: isPerson(actor), ...issuersOf(actor) };
}

/**
 * The users who created the credential, except its own user, and whether a service token was among the creating
 * credentials.
 */
function issuersOf({ userId, issuedBy = [], issuedByNobody = false }: Actor): {
  issued_by?: string[];
  issued_by_nobody?: true;
} {
  const others = issuedBy.filter(person => person !== userId?.toLowerCase());
  return {
    ...(others.length === 0 ? {} : { issued_by: others }),
    ...(issuedByNobody ? { issued_by_nobody: true } : {}),
  };
}

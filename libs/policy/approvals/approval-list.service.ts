import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { ForbiddenError, type Page, type PageQuery } from '#core';
import { equal, KeysetLists, newestFirst, sql, textArray, type Sql } from '#database';
import { ApprovalTerms } from './approval-terms.js';
import type { ApprovalStatus } from './approval-status.js';
import { Approval } from './approval.entity.js';
import type { ShowApproval } from './approval.service.js';
import { OwnApprovals } from './own-approvals.js';

/** Filters and page of a list of approvals. */
export interface ApprovalListQuery extends PageQuery {
  status?: ApprovalStatus | undefined;
  user_id?: string | undefined;
  policy_id?: string | undefined;
}

/**
 * SQL condition for each status at a given time. The expiry job marks expired approvals with a delay. The conditions
 * therefore compare the end of the approval with the given time.
 */
const WITH_STATUS: Record<ApprovalStatus, (now: Date) => Sql> = {
  pending: now => sql`a.status = 'pending' and a.expires_at > ${now}`,
  approved: now => sql`a.status = 'approved' and a.expires_at > ${now}`,
  denied: () => sql`a.status = 'denied'`,
  expired: now => sql`(a.status = 'expired' or a.status in ('pending', 'approved') and a.expires_at <= ${now})`,
  revoked: () => sql`a.status = 'revoked'`,
};

/** Lists approvals, the newest request first. */
@Injectable()
export class ApprovalListService {
  constructor(
    private readonly lists: KeysetLists,
    private readonly people: OwnApprovals,
    private readonly terms: ApprovalTerms,
  ) {}

  /**
   * One page. A caller with only the scope approvals:read:own sees its own user's approvals.
   * @throws BadRequestError if the cursor is not valid here
   * @throws ForbiddenError if a caller who may see only these approvals names another person
   */
  async list<Item>(actor: Actor, query: ApprovalListQuery, show: ShowApproval<Item>): Promise<Page<Item>> {
    const { orgId } = actor;
    const { status, policy_id } = query;
    const users = await this.whose(actor, query.user_id?.toLowerCase());
    const now = this.terms.now();
    const list = {
      name: 'approvals',
      filters: { status, users: users?.join('\n'), policy_id },
      table: 'approvals',
      as: 'a',
      where: [
        users && sql`a.user_id = any(${textArray(users, user => user)})`,
        ...equal({ 'a.policy_id': policy_id }),
        status && WITH_STATUS[status](now),
      ],
      rows: Approval,
      order: newestFirst('a.id'),
    };
    return this.lists.page(orgId, query, list, approval => show(approval, now));
  }

  /**
   * Ids and addresses of the people whose approvals are listed; undefined for all people. If the credential allows no
   * more, those of the caller's own user.
   */
  private async whose(actor: Actor, wanted: string | undefined): Promise<string[] | undefined> {
    if (actor.scopes.has('approvals:read')) return wanted === undefined ? undefined : [wanted];
    const own = await this.people.namesOf(actor);
    if (own.length === 0) {
      throw new ForbiddenError('This credential may read its own approvals only, but belongs to no user.');
    }
    if (wanted === undefined) return own;
    if (!own.includes(wanted)) throw new ForbiddenError('This credential may read its own approvals only.');
    return [wanted];
  }
}

import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, ForbiddenError, pageOf, type Page } from '#core';
import { countRows, OrgDatabase, SCHEMA, sqlOf, textArray } from '#database';
import { ApprovalTerms } from './approval-terms.js';
import type { ApprovalStatus } from './approval-status.js';
import { Approval } from './approval.entity.js';
import type { ShowApproval } from './approval.service.js';
import { OwnApprovals } from './own-approvals.js';

/** Which approvals to list, from where, and how many. */
export interface ApprovalListQuery {
  status?: ApprovalStatus | undefined;
  user_id?: string | undefined;
  policy_id?: string | undefined;
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

/** What a status means in the table, by the time `$4` where it ends by itself: that is written down later. */
const STANDING: Record<ApprovalStatus, string> = {
  pending: `a.status = 'pending' and a.expires_at > $4`,
  approved: `a.status = 'approved' and a.expires_at > $4`,
  denied: `a.status = 'denied'`,
  expired: `(a.status = 'expired' or a.status in ('pending', 'approved') and a.expires_at <= $4)`,
  revoked: `a.status = 'revoked'`,
};

/** Lists approvals, the newest request first. */
@Injectable()
export class ApprovalListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
    private readonly people: OwnApprovals,
    private readonly terms: ApprovalTerms,
  ) {}

  /**
   * One page; whoever has only the scope approvals:read:own sees their own.
   * @throws BadRequestError where the cursor is not valid here
   * @throws ForbiddenError where somebody who may see only their own asks for another's
   */
  async list<Item>(actor: Actor, query: ApprovalListQuery, show: ShowApproval<Item>): Promise<Page<Item>> {
    const { orgId } = actor;
    const { status, policy_id, limit = DEFAULT_PAGE_LIMIT } = query;
    const users = await this.whose(actor, query.user_id?.toLowerCase());
    const digest = digestFilters('approvals', { status, users: users?.join('\n'), policy_id });
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
    const now = this.terms.now();
    const parameters: unknown[] = [orgId, users && textArray(users, user => user), policy_id];
    let listed = `select a.* from ${SCHEMA}.approvals a where a.org_id = $1
      and ($2::text[] is null or a.user_id = any($2)) and ($3::uuid is null or a.policy_id = $3)`;
    const standing = status && STANDING[status];
    if (standing !== undefined) listed += ` and ${standing}`;
    if (standing?.includes('$4')) parameters.push(now);
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      const totalCount = opened?.totalCount ?? (await countRows(tx, listed, parameters));
      const after = opened ? ` and a.id < $${parameters.push(opened.position[0])}::uuid` : '';
      const sql = `${listed}${after} order by a.id desc limit $${parameters.push(limit + 1)}`;
      const rows = await tx.query<Record<string, unknown>>(sql, parameters);
      const approvals = rows.map(row => em.map(Approval, row));
      const cursorAfter = ({ id }: Approval) => this.cursors.seal(orgId, digest, { position: [id], totalCount });
      return pageOf(approvals, limit, approval => show(approval, now), cursorAfter, totalCount);
    });
  }

  /** Everybody's, one person's, or one's own where the credential allows no more. */
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

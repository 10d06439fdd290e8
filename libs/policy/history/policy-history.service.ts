import { Injectable } from '@nestjs/common';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { countRows, OrgDatabase, sqlOf } from '#database';
import { PolicyNotFoundError } from '../policies/policy.errors.js';
import { PolicyChronicle } from './policy-chronicle.js';
import { differencesBetween, type JsonDifference } from './policy-diff.js';
import {
  ENTRY_COLUMNS,
  entryOf,
  POLICY_VERSIONS,
  type PolicyVersion,
  type PolicyVersionEntry,
  type PolicyVersionEntryRow,
} from './policy-version.js';

/** From where to list, and how much. */
export interface PolicyHistoryQuery {
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

/** What differs between two versions of a policy. */
export interface PolicyDifference {
  readonly policyId: string;
  readonly version: number;
  /** The version that it is compared with; null for a first version, which is compared with nothing. */
  readonly against: number | null;
  /** Places in the content; `before` is of `against`, `after` of `version`. */
  readonly changes: readonly JsonDifference[];
}

const LISTED = `from ${POLICY_VERSIONS} v where v.org_id = $1 and v.policy_id = $2`;

/** Reads what policies have been: each change with who made it, also of policies that are deleted. */
@Injectable()
export class PolicyHistory {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
    private readonly chronicle: PolicyChronicle,
  ) {}

  /**
   * One page, the newest version first.
   * @throws PolicyNotFoundError where there has never been such a policy
   * @throws BadRequestError where the cursor is not valid here
   */
  async list<Item>(
    orgId: string,
    policyId: string,
    query: PolicyHistoryQuery,
    show: (entry: PolicyVersionEntry) => Item,
  ): Promise<Page<Item>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const digest = digestFilters('policy versions', { policy_id: policyId });
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
    const parameters: unknown[] = [orgId, policyId];
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      const totalCount = opened?.totalCount ?? (await countRows(tx, `select 1 ${LISTED}`, parameters));
      if (totalCount === 0) throw new PolicyNotFoundError(policyId);
      const after = opened ? ` and v.version < $${parameters.push(opened.position[0])}` : '';
      const rows = await tx.query<PolicyVersionEntryRow>(
        `select ${ENTRY_COLUMNS} ${LISTED}${after} order by v.version desc limit $${parameters.push(limit + 1)}`,
        parameters,
      );
      const cursorAfter = ({ version }: PolicyVersionEntry) =>
        this.cursors.seal(orgId, digest, { position: [version], totalCount });
      return pageOf(rows.map(entryOf), limit, show, cursorAfter, totalCount);
    });
  }

  /** @throws PolicyVersionNotFoundError */
  get(orgId: string, policyId: string, version: number): Promise<PolicyVersion> {
    return this.database.transaction(orgId, em => this.chronicle.version(em, orgId, policyId, version));
  }

  /** Compares a version with another one, or with the one before it. @throws PolicyVersionNotFoundError */
  async diff(orgId: string, policyId: string, version: number, against?: number): Promise<PolicyDifference> {
    const other = against ?? (version > 1 ? version - 1 : null);
    return this.database.transaction(orgId, async em => {
      const of = async (wanted: number) => (await this.chronicle.version(em, orgId, policyId, wanted)).content;
      const after = await of(version);
      const before = other === null ? {} : await of(other);
      return { policyId, version, against: other, changes: differencesBetween(before, after) };
    });
  }
}

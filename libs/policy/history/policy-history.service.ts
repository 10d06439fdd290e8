import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { equal, KeysetLists, OrgDatabase, plainSql, type TableList } from '#database';
import { PolicyNotFoundError } from '../policies/policy.errors.js';
import { PolicyChronicle } from '../policies/policy-chronicle.js';
import { differencesBetween, type JsonDifference } from './policy-diff.js';
import {
  ENTRY_COLUMNS,
  entryOf,
  type PolicyVersion,
  type PolicyVersionEntry,
  type PolicyVersionEntryRow,
} from '../policies/policy-version.js';

/** What differs between two versions of a policy. */
export interface PolicyDifference {
  readonly policyId: string;
  readonly version: number;
  /** The version that it is compared with; null for a first version, which is compared with nothing. */
  readonly against: number | null;
  /** Places in the content; `before` is of `against`, `after` of `version`. */
  readonly changes: readonly JsonDifference[];
}

/** Reads what policies have been: each change with who made it, also of policies that are deleted. */
@Injectable()
export class PolicyHistory {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
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
    query: PageQuery,
    show: (entry: PolicyVersionEntry) => Item,
  ): Promise<Page<Item>> {
    const list: TableList<PolicyVersionEntryRow> = {
      name: 'policy versions',
      filters: { policy_id: policyId },
      table: 'policy_versions',
      as: 'v',
      where: equal({ 'v.policy_id': policyId }),
      rows: plainSql(ENTRY_COLUMNS),
      order: { columns: ['v.version'], direction: 'desc', position: ({ version }) => [version] },
    };
    const page = await this.lists.page(orgId, query, list, row => show(entryOf(row)));
    if (page.total_count === 0) throw new PolicyNotFoundError(policyId);
    return page;
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

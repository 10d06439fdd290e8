import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { equal, KeysetLists, OrgDatabase, plainSql, type TableList } from '#database';
import { PolicyNotFoundError } from '../policies/policy.errors.js';
import { PolicyHistoryStore } from '../policies/policy-history-store.js';
import { differencesBetween, type JsonDifference } from './policy-diff.js';
import {
  ENTRY_COLUMNS,
  entryOf,
  type PolicyVersion,
  type PolicyVersionEntry,
  type PolicyVersionEntryRow,
} from '../policies/policy-version.js';

/** The differences between two versions of a policy. */
export interface PolicyDifference {
  readonly policyId: string;
  readonly version: number;
  /** The version with which `version` is compared; null for the first version. */
  readonly against: number | null;
  /** Differences in the content. `before` is the value in `against`, `after` the value in `version`. */
  readonly changes: readonly JsonDifference[];
}

/** Reads the history of policies: each change with its author. Includes deleted policies. */
@Injectable()
export class PolicyHistory {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
    private readonly history: PolicyHistoryStore,
  ) {}

  /**
   * One page, the newest version first.
   * @throws PolicyNotFoundError if the policy never existed
   * @throws BadRequestError if the cursor is not valid here
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
    return this.database.transaction(orgId, em => this.history.version(em, orgId, policyId, version));
  }

  /**
   * Compares a version with another version; by default, with the previous one.
   * @throws PolicyVersionNotFoundError
   */
  async diff(orgId: string, policyId: string, version: number, against?: number): Promise<PolicyDifference> {
    const other = against ?? (version > 1 ? version - 1 : null);
    return this.database.transaction(orgId, async em => {
      const of = async (wanted: number) => (await this.history.version(em, orgId, policyId, wanted)).content;
      const after = await of(version);
      const before = other === null ? {} : await of(other);
      return { policyId, version, against: other, changes: differencesBetween(before, after) };
    });
  }
}

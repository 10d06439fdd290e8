import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { ChangeFeed, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { GrantBook } from './grants.js';

/** Topic of the change feed: a grant of the organization was given or taken back. */
export const APPROVALS_TOPIC = 'approvals';

interface GrantRow {
  policy_id: string;
  user_id: string;
  model: string;
  until_ms: number | string;
}

const GRANTED = `
select policy_id, user_id, model, (extract(epoch from expires_at) * 1000)::float8 as until_ms
from ${SCHEMA}.approvals where org_id = $1 and status = 'approved' and expires_at > $2`;

/**
 * The grants of each organization, in memory. They are read when a decision first needs them and again whenever one is
 * given or taken back on any replica; that one has ended is seen by the time of the decision alone.
 */
@Injectable()
export class OrganizationGrants {
  private readonly held = new Map<string, GrantBook>();
  private readonly loading = new Map<string, Promise<GrantBook>>();

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly clock: Clock,
  ) {
    changes.subscribe(APPROVALS_TOPIC, orgId => this.reload(orgId));
  }

  /** The organization's grants, where they are in memory. */
  peek(orgId: string): GrantBook | undefined {
    return this.held.get(orgId);
  }

  /** The organization's grants. Callers that come together share one reading; a failed one is not kept. */
  load(orgId: string): Promise<GrantBook> {
    const running = this.loading.get(orgId);
    if (running) return running;
    const started = this.read(orgId).finally(() => this.loading.delete(orgId));
    this.loading.set(orgId, started);
    return started;
  }

  /** The feed calls this once at a time and again until it succeeds. */
  private async reload(orgId: string): Promise<void> {
    // What is loading now may have read before the change.
    for (let running = this.loading.get(orgId); running; running = this.loading.get(orgId)) {
      await running.catch(() => undefined);
    }
    if (this.held.has(orgId)) await this.load(orgId);
  }

  private async read(orgId: string): Promise<GrantBook> {
    await this.changes.watch(orgId);
    const parameters = [orgId, this.clock.now()];
    const rows = await this.database.transaction(orgId, em => sqlOf(em).query<GrantRow>(GRANTED, parameters));
    const grants = rows.map(row => ({
      policyId: row.policy_id,
      userId: row.user_id,
      model: row.model,
      until: new Date(Number(row.until_ms)),
    }));
    const book = new GrantBook(grants);
    this.held.set(orgId, book);
    return book;
  }
}

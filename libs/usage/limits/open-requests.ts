import { Inject, Injectable } from '@nestjs/common';
import { OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import { BUDGET_OPTIONS, budgetOption, type BudgetOptions } from '../budget.options.js';
import type { Take } from './limit-share.js';

interface OpenRequest {
  readonly takes: readonly Take[];
  readonly since: number;
}

const NO_TAKES: readonly Take[] = [];

/**
 * Maximum number of queued ends of requests. If the queue is full, an end is dropped, and the request ends when it
 * expires.
 */
const MAX_PASSED_ON = 50_000;
/** Maximum number of ended requests and ids in one statement. */
const BATCH = 5_000;

const WRITE = `
insert into ${SCHEMA}.limit_ends (org_id, decision_id, ended_at)
select $1, e.id, ${SCHEMA}.now() from unnest($2::uuid[]) e (id) order by e.id on conflict do nothing`;

const READ = `
delete from ${SCHEMA}.limit_ends where org_id = $1 and decision_id = any($2::uuid[]) returning decision_id::text as id`;

const CLEAR = `delete from ${SCHEMA}.limit_ends where org_id = $1 and ended_at < ${SCHEMA}.now() - interval '10 minutes'`;

/**
 * Open requests that this replica admitted under a limit of concurrent requests. The usage of such a request may be
 * reported to another replica. That replica then passes the end of the request on through the database, which takes one
 * to two seconds.
 */
@Injectable()
export class OpenRequests {
  private readonly open = new Map<string, Map<string, OpenRequest>>();
  private readonly toPassOn = new Map<string, Set<string>>();
  private readonly termMs: number;

  constructor(
    private readonly database: OrgDatabase,
    @Inject(BUDGET_OPTIONS) options: BudgetOptions,
  ) {
    this.termMs = budgetOption(options, 'reservationMinutes') * 60_000;
  }

  /** Records the start of a request. */
  add(orgId: string, decisionId: string, takes: readonly Take[], now: number): void {
    let ofOrg = this.open.get(orgId);
    if (!ofOrg) this.open.set(orgId, (ofOrg = new Map()));
    ofOrg.set(decisionId, { takes, since: now });
  }

  /** Extends the term of a request: a full term from now. */
  extend(orgId: string, decisionId: string, now: number): void {
    const known = this.open.get(orgId)?.get(decisionId);
    if (known) this.add(orgId, decisionId, known.takes, now);
  }

  /**
   * Removes a request and returns what the request has taken from limits. Empty if this replica does not know the
   * request.
   */
  remove(orgId: string, decisionId: string): readonly Take[] {
    const ofOrg = this.open.get(orgId);
    const known = ofOrg?.get(decisionId);
    if (!ofOrg || !known) return NO_TAKES;
    ofOrg.delete(decisionId);
    if (ofOrg.size === 0) this.open.delete(orgId);
    return known.takes;
  }

  /** Queues the end of a request that this replica does not know. */
  passOn(orgId: string, decisionId: string): void {
    const ids = this.toPassOn.get(orgId) ?? new Set();
    if (ids.size < MAX_PASSED_ON) this.toPassOn.set(orgId, ids.add(decisionId));
  }

  /**
   * Sends queued ends to the database, receives the ends from other replicas, and ends requests that are older than the
   * term of a reservation.
   */
  async exchange(now: number): Promise<void> {
    for (const [orgId, ids] of this.toPassOn) {
      this.toPassOn.delete(orgId);
      await this.write(orgId, [...ids]);
    }
    for (const [orgId, ofOrg] of this.open) {
      for (const [id, { since }] of ofOrg) if (now - since >= this.termMs) this.end(orgId, id);
      const ids = [...ofOrg.keys()];
      for (let from = 0; from < ids.length; from += BATCH) {
        for (const id of await this.read(orgId, ids.slice(from, from + BATCH))) this.end(orgId, id);
      }
    }
  }

  private end(orgId: string, id: string): void {
    for (const { share } of this.remove(orgId, id)) share.end();
  }

  private async write(orgId: string, ids: readonly string[]): Promise<void> {
    await this.database.transaction(orgId, async em => {
      await sqlOf(em).query(WRITE, [orgId, plainArray(ids, id => id)]);
      await sqlOf(em).query(CLEAR, [orgId]);
    });
  }

  private async read(orgId: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.transaction(orgId, em =>
      sqlOf(em).query<{ id: string }>(READ, [orgId, plainArray(ids, id => id)]),
    );
    return rows.map(({ id }) => id);
  }
}

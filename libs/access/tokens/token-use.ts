import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy } from '#core';
import { isOutage, OrgDatabase, sqlOf } from '#database';
import { Scheduler } from '#scheduler';
import { OrganizationNotFoundError } from '../organizations/organization.errors.js';

const ONCE_PER_MS = 60_000;
/**
 * After this many outages in one round, the round stops: the database is assumed to be unavailable for all
 * organizations.
 */
const OUTAGES_MAX = 3;

// Locks rows in the order of their ids, to avoid deadlocks. The revocation of several tokens uses the same order.
const WRITE = `
with locked as (
  select id from governance.access_tokens where org_id = $1 and id = any ($2::uuid[]) order by id for no key update)
update governance.access_tokens t set last_used_at = to_timestamp(used.ms / 1000.0)
from unnest($2::uuid[], $3::float8[]) as used(id, ms)
where t.org_id = $1 and t.id = used.id and t.id in (select id from locked) and (t.last_used_at is null or t.last_used_at < to_timestamp(used.ms / 1000.0))`;

/**
 * Records when tokens were last used. Collects the times in memory, and writes them with one statement per
 * organization, at most once a minute per token. Without this batching, every request would cause a write.
 */
@Injectable()
export class TokenUse {
  private readonly noted = new LRUCache<string, number>(boundedBy(100_000));
  private pending = new Map<string, Map<string, number>>();

  constructor(
    private readonly database: OrgDatabase,
    scheduler: Scheduler,
  ) {
    scheduler.add({
      name: 'token-use',
      pattern: '*/10 * * * * *',
      // Runs on every replica, because a process only knows the uses that it has seen itself.
      runsEverywhere: true,
      failure: 'The last use of tokens could not be written',
      round: async () => {
        await this.flush();
        return 0;
      },
    });
    database.beforeClose(() => this.flush());
  }

  /** Takes the stored time from the database, so that a restart does not cause an early write. */
  learn(tokenId: string, lastUsedMs: number | null): void {
    if (lastUsedMs !== null && this.noted.get(tokenId) === undefined) this.noted.set(tokenId, lastUsedMs);
  }

  /** Records a use, unless the last recorded use is less than a minute old. */
  note(orgId: string, tokenId: string, atMs: number): void {
    const last = this.noted.get(tokenId);
    if (last !== undefined && atMs - last < ONCE_PER_MS) return;
    this.noted.set(tokenId, atMs);
    const ofOrganization = this.pending.get(orgId) ?? new Map<string, number>();
    this.pending.set(orgId, ofOrganization.set(tokenId, atMs));
  }

  /**
   * Writes the recorded times. A time that cannot be written is kept for the next round, unless there is a newer one.
   * Times of deleted organizations are dropped.
   * @throws the first error, after the times of all other organizations were written
   */
  async flush(): Promise<void> {
    const batch = this.pending;
    this.pending = new Map();
    const errors: unknown[] = [];
    for (const [orgId, uses] of batch) {
      try {
        if (errors.filter(isOutage).length >= OUTAGES_MAX) this.keep(orgId, uses);
        else await this.write(orgId, uses);
      } catch (error) {
        if (error instanceof OrganizationNotFoundError) continue;
        errors.push(error);
        this.keep(orgId, uses);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  private async write(orgId: string, uses: ReadonlyMap<string, number>): Promise<void> {
    await this.database.transaction(orgId, em => sqlOf(em).query(WRITE, [orgId, [...uses.keys()], [...uses.values()]]));
  }

  private keep(orgId: string, uses: ReadonlyMap<string, number>): void {
    this.pending.set(orgId, new Map([...uses, ...(this.pending.get(orgId) ?? [])]));
  }
}

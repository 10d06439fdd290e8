import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isOutage, OrgDatabase, sqlOf } from '#database';
import { Scheduler } from '#scheduler';
import { OrganizationNotFoundError } from '../organizations/organization.errors.js';

const ONCE_PER_MS = 60_000;
/** After so many outages in one round, the database is away for all organizations. */
const OUTAGES_MAX = 3;

// Locks rows in the order of their ids, like revocations of several tokens, to avoid deadlocks.
const WRITE = `
with locked as (
  select id from governance.access_tokens where org_id = $1 and id = any ($2::uuid[]) order by id for no key update)
update governance.access_tokens t set last_used_at = to_timestamp(used.ms / 1000.0)
from unnest($2::uuid[], $3::float8[]) as used(id, ms)
where t.org_id = $1 and t.id = used.id and t.id in (select id from locked) and (t.last_used_at is null or t.last_used_at < to_timestamp(used.ms / 1000.0))`;

/**
 * When tokens were last used: noted in memory, written behind in one statement per organization, each token at most
 * once a minute, so that reading does not turn into writing.
 */
@Injectable()
export class TokenUse {
  private readonly noted = new LRUCache<string, number>({ max: 100_000 });
  private pending = new Map<string, Map<string, number>>();

  constructor(
    private readonly database: OrgDatabase,
    scheduler: Scheduler,
  ) {
    scheduler.add({
      name: 'token-use',
      pattern: '*/10 * * * * *',
      // Each process knows only the uses that it has seen.
      runsEverywhere: true,
      failure: 'The last use of tokens could not be written',
      round: async () => {
        await this.flush();
        return 0;
      },
    });
    database.beforeClose(() => this.flush());
  }

  /** Takes in what the table says, so that a restart does not write sooner than a minute after the last time. */
  learn(tokenId: string, lastUsedMs: number | null): void {
    if (lastUsedMs !== null && this.noted.get(tokenId) === undefined) this.noted.set(tokenId, lastUsedMs);
  }

  /** Notes a use, unless the last one noted is less than a minute ago. */
  note(orgId: string, tokenId: string, atMs: number): void {
    const last = this.noted.get(tokenId);
    if (last !== undefined && atMs - last < ONCE_PER_MS) return;
    this.noted.set(tokenId, atMs);
    const ofOrganization = this.pending.get(orgId) ?? new Map<string, number>();
    this.pending.set(orgId, ofOrganization.set(tokenId, atMs));
  }

  /**
   * Writes what is noted. What cannot be written is kept for the next time unless it was used again meanwhile; uses of an
   * organization that was deleted are dropped.
   * @throws the first error, after the other organizations were written
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

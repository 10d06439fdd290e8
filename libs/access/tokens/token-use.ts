import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { OrgDatabase, sqlOf } from '#database';
import { Scheduler } from '#scheduler';

const ONCE_PER_MS = 60_000;

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

  /** Writes what is noted. What cannot be written is kept for the next time unless it was used again meanwhile. */
  async flush(): Promise<void> {
    const batch = this.pending;
    this.pending = new Map();
    for (const [orgId, uses] of batch) {
      try {
        await this.database.transaction(orgId, em =>
          sqlOf(em).query(WRITE, [orgId, [...uses.keys()], [...uses.values()]]),
        );
        batch.delete(orgId);
      } catch (error) {
        for (const [left, notWritten] of batch) {
          this.pending.set(left, new Map([...notWritten, ...(this.pending.get(left) ?? [])]));
        }
        throw error;
      }
    }
  }
}

import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy } from '#core';
import { ChangeFeed, OrgDatabase } from '#database';
import { OUTAGE_GRACE_MS } from '../credentials/outage-grace.js';
import { UserIdentity } from './user-identity.entity.js';

/** Topic of the change feed for links that end, are renewed or are removed. */
export const IDENTITIES_TOPIC = 'identities';

/** An account at an identity provider, as seen from one organization. */
export interface Account {
  readonly orgId: string;
  readonly issuer: string;
  readonly subject: string;
}

/** The stored link of an account. */
export type KnownIdentity = Pick<UserIdentity, 'orgId' | 'userId' | 'endedAt'>;

const CAPACITY = 10_000;

/** Finds linked accounts from memory. A change on any replica takes effect within one second. */
@Injectable()
export class KnownIdentities {
  private readonly remembered = new LRUCache<string, KnownIdentity>(boundedBy(CAPACITY));
  /** Incremented with every change, so that a result that was read before a change is not cached after it. */
  private news = 0;

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
  ) {
    changes.subscribe(IDENTITIES_TOPIC, orgId => this.forget(orgId));
    changes.onReset(orgId => this.forget(orgId));
  }

  private forget(orgId: string): void {
    this.news++;
    for (const [key, identity] of [...this.remembered.entries()]) {
      if (identity.orgId === orgId) this.remembered.delete(key);
    }
  }

  /** The link of an account; undefined if it was never linked, or the link was removed. */
  async find({ orgId, issuer, subject }: Account): Promise<KnownIdentity | undefined> {
    const key = JSON.stringify([orgId, issuer, subject]);
    const known = this.remembered.get(key);
    if (known && this.changes.age < OUTAGE_GRACE_MS) return known;
    await this.changes.watch(orgId);
    const before = this.news;
    const found = await this.database.transaction(orgId, em => em.findOne(UserIdentity, { orgId, issuer, subject }));
    if (!found) return undefined;
    const identity = { orgId, userId: found.userId, endedAt: found.endedAt };
    if (before === this.news) this.remembered.set(key, identity);
    return identity;
  }
}

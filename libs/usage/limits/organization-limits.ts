import { Injectable } from '@nestjs/common';
import { ChangeFeed, OrgDatabase, OrgMemory } from '#database';
import { ScopeIndex } from '../scopes/index.js';
import { Limit, type KnownLimit } from './limit.entity.js';

/** Topic of the change feed for limits. */
export const LIMITS_TOPIC = 'limits';

/** The limits of one organization. Immutable. */
export class LimitSet {
  readonly index: ScopeIndex<KnownLimit>;
  readonly byId: ReadonlyMap<string, KnownLimit>;
  /** Whether any limit restricts concurrent requests. Only then the ends of requests must be tracked. */
  readonly countsConcurrent: boolean;

  constructor(limits: readonly KnownLimit[]) {
    this.index = new ScopeIndex(limits);
    this.byId = new Map(limits.map(limit => [limit.id, limit]));
    this.countsConcurrent = limits.some(({ concurrentRequests }) => concurrentRequests !== null);
  }
}

/** In-memory cache of the limits per organization. All replicas see a change within a second. */
@Injectable()
export class OrganizationLimits extends OrgMemory<LimitSet> {
  constructor(database: OrgDatabase, changes: ChangeFeed) {
    super(changes, [LIMITS_TOPIC], orgId =>
      database.transaction(orgId, async em => new LimitSet(await em.find(Limit, { orgId }))),
    );
  }
}

import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';
import type { BudgetScope } from '#outbox';
import { normalMatch, type ScopeMatch, type Scoped, type ScopeSplit } from '../scopes/index.js';
import type { LimitDraft } from './limit-rules.js';

/** The data of a limit that decisions need. */
export interface KnownLimit extends Scoped {
  readonly id: string;
  readonly name: string;
  readonly scope: BudgetScope;
  readonly splitBy: ScopeSplit | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

/** Limits per minute for requests and tokens, and for concurrent requests. */
@Entity({ tableName: 'limits', schema: 'governance' })
export class Limit implements KnownLimit {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  scope!: BudgetScope;

  /** Only with the scope `department`. */
  @Property({ type: 'text', nullable: true })
  department!: string | null;

  /** Only with the scope `user`. */
  @Property({ type: 'uuid', nullable: true })
  userId!: string | null;

  /** Name or pattern with `*`, compared without case. Only with the scope `model`. */
  @Property({ type: 'text', nullable: true })
  model!: string | null;

  /** Conditions that all hold. Only with the scope `combined`. */
  @Property({ type: 'json', nullable: true })
  match!: ScopeMatch | null;

  /** Null if all requests share the limit. */
  @Property({ type: 'text', nullable: true })
  splitBy!: ScopeSplit | null;

  @Property({ type: 'integer', nullable: true })
  requestsPerMinute!: number | null;

  @Property({ type: 'integer', nullable: true })
  tokensPerMinute!: number | null;

  @Property({ type: 'integer', nullable: true })
  concurrentRequests!: number | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** Creates a limit from a valid draft. */
  static create(orgId: string, id: string, draft: LimitDraft, now: Date): Limit {
    const limit = new Limit();
    limit.orgId = orgId;
    limit.id = id;
    limit.scope = draft.scope;
    limit.department = draft.department ?? null;
    limit.userId = draft.userId?.toLowerCase() ?? null;
    limit.model = draft.model ?? null;
    limit.match = draft.match ? normalMatch(draft.match) : null;
    limit.splitBy = draft.splitBy ?? null;
    limit.createdAt = now;
    limit.change(draft, now);
    return limit;
  }

  /** Applies the supplied fields. */
  change(patch: Partial<LimitDraft>, now: Date): void {
    this.name = patch.name ?? this.name;
    this.requestsPerMinute = supplied(patch.requestsPerMinute, this.requestsPerMinute);
    this.tokensPerMinute = supplied(patch.tokensPerMinute, this.tokensPerMinute);
    this.concurrentRequests = supplied(patch.concurrentRequests, this.concurrentRequests);
    this.updatedAt = now;
  }

  /** Whether at least one of the numbers is set. */
  get isLimiting(): boolean {
    return [this.requestsPerMinute, this.tokensPerMinute, this.concurrentRequests].some(most => most !== null);
  }

  /** The audit log's representation of the limit. */
  audited(): JsonObject {
    return {
      name: this.name,
      scope: this.match ?? this.scope,
      department: this.department,
      user_id: this.userId,
      model: this.model,
      split_by: this.splitBy,
      requests_per_minute: this.requestsPerMinute,
      tokens_per_minute: this.tokensPerMinute,
      concurrent_requests: this.concurrentRequests,
    };
  }
}

function supplied(value: number | null | undefined, present: number | null | undefined): number | null {
  return (value === undefined ? present : value) ?? null;
}

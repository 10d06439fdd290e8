import { Inject, Injectable } from '@nestjs/common';
import { Clock, UnavailableError, type SpendRequest } from '#core';
import { isOutage } from '#database';
import { partOf } from '../scopes/index.js';
import { BUDGET_OPTIONS, budgetOption, type BudgetOptions } from '../budget.options.js';
import type { KnownLimit } from './limit.entity.js';
import { LimitClaims } from './limit-claims.js';
import { refusalOf, type LimitRefusal } from './limit-refusal.js';
import { LimitShare, type Take } from './limit-share.js';
import { OpenRequests } from './open-requests.js';
import { OrganizationLimits, type LimitSet } from './organization-limits.js';

interface Waiting {
  readonly request: SpendRequest;
  readonly takes: readonly Take[];
  resolve(refusal: LimitRefusal | undefined): void;
  reject(error: unknown): void;
}

interface OrgShares {
  readonly shares: Map<string, LimitShare>;
  waiting: Waiting[];
  isClaiming: boolean;
}

/** Maximum number of requests whose claims share one statement. */
const MAX_TOGETHER = 1_000;

/**
 * Enforces limits. A request uses claims that this replica holds in memory. If they do not suffice, the request waits
 * for a statement that claims more. Concurrent requests share this statement.
 */
@Injectable()
export class LimitGuard {
  private readonly organizations = new Map<string, OrgShares>();
  private readonly assumedTokens: number;

  constructor(
    private readonly limits: OrganizationLimits,
    private readonly claims: LimitClaims,
    private readonly open: OpenRequests,
    private readonly clock: Clock,
    @Inject(BUDGET_OPTIONS) options: BudgetOptions,
  ) {
    this.assumedTokens = budgetOption(options, 'assumedInputTokens') + budgetOption(options, 'assumedOutputTokens');
  }

  /**
   * Counts a request in every limit that applies, or in none. Returns undefined synchronously if the request is known
   * to fit.
   * @throws UnavailableError if the limits cannot be checked
   */
  take(orgId: string, request: SpendRequest): Promise<LimitRefusal | undefined> | LimitRefusal | undefined {
    const set = this.limits.peek(orgId);
    if (!set) return this.load(orgId, request);
    return set.byId.size === 0 ? undefined : this.takeOf(orgId, set, request);
  }

  /** Frees the slots of a request whose decision failed. The request and its tokens still count. */
  putBack(orgId: string, decisionId: string): void {
    for (const { share } of this.open.remove(orgId, decisionId)) share.end();
  }

  /** Frees the slots of ended requests. If a request began on another replica, passes its id to that replica. */
  ended(orgId: string, decisionIds: readonly string[]): void {
    const set = this.limits.peek(orgId);
    if (!set) {
      // If the limits cannot be read, the slots become free when the requests expire.
      this.limits.of(orgId).then(
        () => this.ended(orgId, decisionIds),
        () => undefined,
      );
      return;
    }
    const { countsConcurrent } = set;
    for (const id of decisionIds) {
      const takes = this.open.remove(orgId, id);
      for (const { share } of takes) share.end();
      if (takes.length === 0 && countsConcurrent) this.open.passOn(orgId, id);
    }
  }

  /** Returns unused claims to the database, renews leases, and forgets unused shares. */
  async maintain(): Promise<void> {
    const now = this.clock.now().getTime();
    for (const [orgId, org] of this.organizations) {
      const due = [...org.shares.values()].filter(share => share.isDue(now));
      // If a claim is running, it already returns unused claims. Shares that it does not cover are maintained in the
      // next run.
      if (due.length > 0 && !org.isClaiming) await this.maintainShares(orgId, org, due, now);
      // A running claim may be granted to a share that looks idle. Forgetting the share now would lose the grant.
      if (org.isClaiming || org.waiting.length > 0) continue;
      for (const [key, share] of org.shares) if (share.isIdle(now)) org.shares.delete(key);
      if (org.shares.size === 0) this.organizations.delete(orgId);
    }
  }

  /** Returns all unused claims to the database, because this process is stopping. */
  async handBack(): Promise<void> {
    const now = this.clock.now().getTime();
    for (const [orgId, org] of this.organizations) {
      await this.maintainShares(orgId, org, [...org.shares.values()], now).catch(() => undefined);
    }
  }

  private async maintainShares(orgId: string, org: OrgShares, due: readonly LimitShare[], now: number): Promise<void> {
    org.isClaiming = true;
    try {
      for (let from = 0; from < due.length; from += MAX_TOGETHER) {
        const some = due.slice(from, from + MAX_TOGETHER);
        const wanted = some.map(share => ({ share, waiting: [] }));
        await this.claims.claim(orgId, wanted, now);
      }
    } finally {
      org.isClaiming = false;
      this.start(orgId, org);
    }
  }

  private async load(orgId: string, request: SpendRequest): Promise<LimitRefusal | undefined> {
    const set = await this.limits.of(orgId).catch(refuse);
    return set.byId.size === 0 ? undefined : this.takeOf(orgId, set, request);
  }

  private takeOf(
    orgId: string,
    set: LimitSet,
    request: SpendRequest,
  ): Promise<LimitRefusal | undefined> | LimitRefusal | undefined {
    const matching = set.index.matching(request);
    if (matching.length === 0) return undefined;
    const org = this.sharesOf(orgId);
    const now = this.clock.now().getTime();
    const tokens = this.tokensOf(request);
    const takes = matching.map(limit => ({ share: shareOf(org, limit, partOf(limit.splitBy, request)), tokens }));
    if (takes.every(({ share }) => share.fits(tokens, now))) {
      this.enter(orgId, request, takes);
      return undefined;
    }
    return refusalOf(takes, now) ?? this.wait(orgId, org, request, takes);
  }

  private enter(orgId: string, request: SpendRequest, takes: readonly Take[]): void {
    for (const { share, tokens } of takes) share.take(tokens);
    if (takes.some(({ share }) => share.limit.concurrentRequests !== null)) {
      this.open.add(orgId, request.decisionId, takes, this.clock.now().getTime());
    }
  }

  private wait(
    orgId: string,
    org: OrgShares,
    request: SpendRequest,
    takes: readonly Take[],
  ): Promise<LimitRefusal | undefined> {
    return new Promise((resolve, reject) => {
      org.waiting.push({ request, takes, resolve, reject });
      this.start(orgId, org);
    });
  }

  /** Waits one turn of the event loop, so that all requests of this turn share a statement. */
  private start(orgId: string, org: OrgShares): void {
    if (org.isClaiming || org.waiting.length === 0) return;
    org.isClaiming = true;
    setImmediate(() => void this.run(orgId, org));
  }

  /** Never rejects: if the claim fails, each waiting request gets the error. */
  private async run(orgId: string, org: OrgShares): Promise<void> {
    const asked = org.waiting.splice(0, MAX_TOGETHER);
    try {
      const now = this.clock.now().getTime();
      const lacking = new Map<LimitShare, number[]>();
      for (const { takes } of asked) {
        for (const { share, tokens } of takes) {
          const waiting = lacking.get(share);
          if (waiting) waiting.push(tokens);
          else lacking.set(share, [tokens]);
        }
      }
      const wanted = [...lacking].map(([share, waiting]) => ({ share, waiting }));
      await this.claims.claim(orgId, wanted, now);
      const admitted = asked.filter(one => this.settle(orgId, one));
      if (admitted.length < asked.length) await this.giveBackSurplus(orgId, [...lacking.keys()], now);
    } catch (error) {
      for (const one of asked) one.reject(unavailable(error));
    } finally {
      org.isClaiming = false;
      this.start(orgId, org);
    }
  }

  /**
   * Returns claims for requests that another limit refused. Otherwise, a person who keeps retrying at their own limit
   * would withhold the claims of a shared limit from other replicas.
   */
  private async giveBackSurplus(orgId: string, shares: readonly LimitShare[], now: number): Promise<void> {
    const wanted = shares.filter(share => share.hasSurplus()).map(share => ({ share, waiting: [] }));
    if (wanted.length > 0) await this.claims.claim(orgId, wanted, now);
  }

  /** Answers a waiting request. Returns whether it was admitted. */
  private settle(orgId: string, waiting: Waiting): boolean {
    const { request, takes } = waiting;
    const now = this.clock.now().getTime();
    if (takes.every(({ share, tokens }) => share.fits(tokens, now))) {
      this.enter(orgId, request, takes);
      waiting.resolve(undefined);
      return true;
    }
    const lacking = takes.filter(({ share, tokens }) => !share.fits(tokens, now));
    waiting.resolve({
      limits: lacking.map(({ share: { limit } }) => ({ id: limit.id, name: limit.name })),
      retryAfterMs: Math.max(...lacking.map(({ share, tokens }) => share.waitOf(tokens, now))),
    });
    return false;
  }

  private sharesOf(orgId: string): OrgShares {
    let org = this.organizations.get(orgId);
    if (!org) this.organizations.set(orgId, (org = { shares: new Map(), waiting: [], isClaiming: false }));
    return org;
  }

  private tokensOf({ inputTokens, outputTokens }: SpendRequest): number {
    if (inputTokens === undefined && outputTokens === undefined) return this.assumedTokens;
    return (inputTokens ?? 0) + (outputTokens ?? 0);
  }
}

function shareOf({ shares }: OrgShares, limit: KnownLimit, part: string): LimitShare {
  const key = `${limit.id} ${part}`;
  let share = shares.get(key);
  if (!share) shares.set(key, (share = new LimitShare(limit, part)));
  // The limit may have been changed since the share was created.
  share.limit = limit;
  return share;
}

const AWAY = 'Limits cannot be checked at present, so requests under a limit are refused; try again shortly.';

function unavailable(error: unknown): unknown {
  return isOutage(error) ? new UnavailableError(AWAY) : error;
}

function refuse(error: unknown): never {
  if (isOutage(error)) throw new UnavailableError(AWAY);
  throw error;
}

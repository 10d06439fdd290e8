import type { KnownLimit } from './limit.entity.js';

/**
 * Milliseconds for which a claim may be used. After this time, the claims of a crashed replica no longer reduce the
 * limit.
 */
const SLICE_MS = 1_500;

/** Milliseconds for which slots of concurrent requests are leased. */
export const LEASE_MS = 5_000;

/**
 * Divisor of a limit: a replica claims at most this fraction of the limit in advance. Four replicas then hold a tenth
 * of the limit.
 */
const AHEAD = 40;

/** Milliseconds for which a refusal is repeated without asking the database. */
const REFUSED_MS = 250;

/** What one request takes from a limit. */
export interface Take {
  readonly share: LimitShare;
  readonly tokens: number;
}

/** A claim for a share; see `claim_limits`. */
export interface ShareClaim {
  readonly leastRequests: number;
  readonly requests: number;
  readonly backRequests: number;
  readonly leastTokens: number;
  readonly tokens: number;
  readonly backTokens: number;
  readonly backStep: number;
  /** Null if the limit does not have this number. */
  readonly slots: number | null;
}

/** Answer to a claim. Waits are in milliseconds; 0 means that the claim was granted. */
export interface ShareGrant {
  readonly requests: number;
  readonly requestsWait: number;
  readonly tokens: number;
  readonly tokensWait: number;
  readonly slots: number | null;
}

/** The claims that this replica has on one part of a limit. Times are in milliseconds of the clock. */
export class LimitShare {
  private requests = 0;
  private tokens = 0;
  private until = 0;
  private step = 0;
  private slots = 0;
  private slotsUntil = 0;
  private inUse = 0;
  /** Usage since the last claim, and the time of that claim. */
  private taken = { requests: 0, tokens: 0, slots: 0, since: 0 };
  private refusal = { until: 0, at: 0, requests: false, tokens: Number.POSITIVE_INFINITY, slots: false };

  constructor(
    public limit: KnownLimit,
    readonly part: string,
  ) {}

  /** Whether the claims in memory suffice for a request. */
  fits(tokens: number, now: number): boolean {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = this.limit;
    const isUsable = now < this.until;
    if (requestsPerMinute !== null && !(isUsable && this.requests >= 1)) return false;
    if (tokensPerMinute !== null && !(isUsable && this.tokens >= tokens)) return false;
    return concurrentRequests === null || (now < this.slotsUntil && this.inUse < this.slots);
  }

  /** Counts a request that {@link fits} against the claims. */
  take(tokens: number): void {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = this.limit;
    if (requestsPerMinute !== null) this.requests -= 1;
    if (tokensPerMinute !== null) this.tokens -= tokens;
    if (concurrentRequests !== null) this.inUse += 1;
    this.taken.requests += 1;
    this.taken.tokens += tokens;
  }

  /** Frees the slot of an ended request. */
  end(): void {
    if (this.inUse > 0) this.inUse -= 1;
    this.refusal.slots = false;
  }

  /**
   * Returns how many milliseconds a request should wait if a request of this size was refused recently and nothing has
   * changed since. Otherwise undefined.
   */
  refused(tokens: number, now: number): number | undefined {
    const { until, at, requests, tokens: fewest, slots } = this.refusal;
    if (now >= until || (!requests && !slots && tokens < fewest)) return undefined;
    return Math.max(1, at - now);
  }

  /**
   * Builds the claim for waiting requests with these token counts. The claim also returns the current claims in the
   * same statement.
   */
  claim(waiting: readonly number[], now: number): ShareClaim {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = this.limit;
    const elapsed = Math.max(now - this.taken.since, 50);
    const ahead = (taken: number, most: number | null): number =>
      waiting.length === 0 ? 0 : Math.min(Math.ceil((taken * SLICE_MS) / elapsed), aheadOf(most));
    const tokens = waiting.reduce((sum, each) => sum + each, 0);
    const claimed: ShareClaim = {
      leastRequests: 1,
      requests: requestsPerMinute === null ? 0 : waiting.length + ahead(this.taken.requests, requestsPerMinute),
      backRequests: this.requests,
      leastTokens: tokensPerMinute === null ? 0 : Math.min(...waiting, Number.MAX_SAFE_INTEGER),
      tokens: tokensPerMinute === null ? 0 : tokens + ahead(this.taken.tokens, tokensPerMinute),
      backTokens: this.tokens,
      backStep: this.step,
      slots:
        concurrentRequests === null
          ? null
          : this.inUse + waiting.length + ahead(this.taken.requests, concurrentRequests),
    };
    // The share must not use these claims any more, because the statement returns them.
    this.requests = 0;
    this.tokens = 0;
    this.until = 0;
    this.taken = { requests: 0, tokens: 0, slots: 0, since: now };
    return claimed;
  }

  /** Applies the answer to a claim that was sent at the given time. */
  granted(claim: ShareClaim, grant: ShareGrant, step: number, sentAt: number): void {
    this.requests = grant.requests;
    this.tokens = grant.tokens;
    this.step = step;
    this.until = sentAt + SLICE_MS;
    if (grant.slots !== null) {
      this.slots = grant.slots;
      this.slotsUntil = sentAt + LEASE_MS;
    }
    const noRequests = grant.requestsWait > 0;
    const noTokens = grant.tokensWait > 0;
    const noSlots =
      grant.slots !== null && claim.slots !== null && grant.slots <= this.inUse && claim.slots > this.inUse;
    if (!noRequests && !noTokens && !noSlots) return;
    const wait = Math.max(grant.requestsWait, grant.tokensWait, noSlots ? SLOT_WAIT_MS : 0);
    this.refusal = {
      until: sentAt + Math.min(wait, REFUSED_MS),
      at: sentAt + wait,
      requests: noRequests,
      tokens: noTokens ? claim.leastTokens : Number.POSITIVE_INFINITY,
      slots: noSlots,
    };
  }

  /** The number of milliseconds to wait for a request that does not fit. */
  waitOf(tokens: number, now: number): number {
    return this.refused(tokens, now) ?? SLOT_WAIT_MS;
  }

  /** Whether the share holds more claims than a replica may claim in advance. */
  hasSurplus(): boolean {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = this.limit;
    return (
      this.requests > aheadOf(requestsPerMinute) ||
      this.tokens > aheadOf(tokensPerMinute) ||
      this.slots - this.inUse > aheadOf(concurrentRequests)
    );
  }

  /** Whether the share must return unused claims or renew a lease. */
  isDue(now: number): boolean {
    if (now >= this.until && this.requests + this.tokens > 0) return true;
    return this.slots > 0 && (this.inUse === 0 ? now >= this.until : this.slotsUntil - now < LEASE_MS * 0.7);
  }

  /** Whether the share holds nothing and was not used recently. */
  isIdle(now: number): boolean {
    const isHolding = this.requests + this.tokens + this.slots + this.inUse > 0;
    return !isHolding && now >= this.until && now >= this.refusal.until;
  }
}

/** The number that a replica may claim in advance of a limit. */
function aheadOf(most: number | null): number {
  return Math.floor((most ?? 0) / AHEAD);
}

/** Wait if all slots are in use. The time at which a slot becomes free is unknown. */
const SLOT_WAIT_MS = 1_000;

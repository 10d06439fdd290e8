import type { KnownLimit } from './limit.entity.js';

/** How long what was claimed may be used. Longer than this, nothing that a killed replica has claimed is held back. */
const SLICE_MS = 1_500;

/** How long slots for requests at the same time are leased. */
export const LEASE_MS = 5_000;

/** A replica claims at most this part of a limit ahead of need, so that four of them hold a tenth. */
const AHEAD = 40;

/** How long what was refused is not asked for again. */
const REFUSED_MS = 250;

/** What a request takes of a limit. */
export interface Take {
  readonly share: LimitShare;
  readonly tokens: number;
}

/** What a share asks for; see `claim_limits`. */
export interface ShareClaim {
  readonly leastRequests: number;
  readonly requests: number;
  readonly backRequests: number;
  readonly leastTokens: number;
  readonly tokens: number;
  readonly backTokens: number;
  readonly backStep: number;
  /** Null where the limit has none. */
  readonly slots: number | null;
}

/** What was granted; waits in milliseconds, 0 where it was granted. */
export interface ShareGrant {
  readonly requests: number;
  readonly requestsWait: number;
  readonly tokens: number;
  readonly tokensWait: number;
  readonly slots: number | null;
}

/** What this replica holds of one part of a limit. Times in milliseconds of the clock. */
export class LimitShare {
  private requests = 0;
  private tokens = 0;
  private until = 0;
  private step = 0;
  private slots = 0;
  private slotsUntil = 0;
  private inUse = 0;
  /** Taken since the last claim, and when that was. */
  private taken = { requests: 0, tokens: 0, slots: 0, since: 0 };
  private refusal = { until: 0, at: 0, requests: false, tokens: Number.POSITIVE_INFINITY, slots: false };

  constructor(
    public limit: KnownLimit,
    readonly part: string,
  ) {}

  /** Whether a request fits into what is held. */
  fits(tokens: number, now: number): boolean {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = this.limit;
    const isUsable = now < this.until;
    if (requestsPerMinute !== null && !(isUsable && this.requests >= 1)) return false;
    if (tokensPerMinute !== null && !(isUsable && this.tokens >= tokens)) return false;
    return concurrentRequests === null || (now < this.slotsUntil && this.inUse < this.slots);
  }

  /** Takes what {@link fits}. */
  take(tokens: number): void {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = this.limit;
    if (requestsPerMinute !== null) this.requests -= 1;
    if (tokensPerMinute !== null) this.tokens -= tokens;
    if (concurrentRequests !== null) this.inUse += 1;
    this.taken.requests += 1;
    this.taken.tokens += tokens;
  }

  /** Undoes {@link take} for a request that is not made. */
  putBack(tokens: number): void {
    if (this.limit.requestsPerMinute !== null) this.requests += 1;
    if (this.limit.tokensPerMinute !== null) this.tokens += tokens;
    this.end();
  }

  /** A request has ended. */
  end(): void {
    if (this.inUse > 0) this.inUse -= 1;
    this.refusal.slots = false;
  }

  /** Milliseconds to wait, where the request was refused a moment ago and nothing has changed since; otherwise undefined. */
  refused(tokens: number, now: number): number | undefined {
    const { until, at, requests, tokens: fewest, slots } = this.refusal;
    if (now >= until || (!requests && !slots && tokens < fewest)) return undefined;
    return Math.max(1, at - now);
  }

  /** What to claim for requests that wait for so many tokens each. What is held goes back with it. */
  claim(waiting: readonly number[], now: number): ShareClaim {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = this.limit;
    const elapsed = Math.max(now - this.taken.since, 50);
    const ahead = (taken: number, most: number | null): number =>
      waiting.length === 0 ? 0 : Math.min(Math.ceil((taken * SLICE_MS) / elapsed), Math.floor((most ?? 0) / AHEAD));
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
    // Nobody uses what goes back.
    this.requests = 0;
    this.tokens = 0;
    this.until = 0;
    this.taken = { requests: 0, tokens: 0, slots: 0, since: now };
    return claimed;
  }

  /** Takes in what was granted for a claim that was sent at a time. */
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

  /** How long a request that does not fit should wait, in milliseconds. */
  waitOf(tokens: number, now: number): number {
    return this.refused(tokens, now) ?? SLOT_WAIT_MS;
  }

  /** Whether something is held that is of no use, or a lease is to be renewed. */
  isDue(now: number): boolean {
    if (now >= this.until && this.requests + this.tokens > 0) return true;
    return this.slots > 0 && (this.inUse === 0 ? now >= this.until : this.slotsUntil - now < LEASE_MS * 0.7);
  }

  /** Whether nothing is held and nobody has asked of late. */
  isIdle(now: number): boolean {
    const isHolding = this.requests + this.tokens + this.slots + this.inUse > 0;
    return !isHolding && now >= this.until && now >= this.refusal.until;
  }
}

/** Nobody knows when a request ends. */
const SLOT_WAIT_MS = 1_000;

import { LRUCache } from 'lru-cache';
import { boundedBy } from '#core';

interface Bucket {
  tokens: number;
  atMs: number;
}

const CAPACITY = 10_000;

/** Token buckets by key, with constant refill. Least recently used keys are evicted. */
export class TokenBuckets {
  private readonly buckets: LRUCache<string, Bucket>;

  constructor(
    private readonly size: number,
    private readonly perSecond: number,
    capacity = CAPACITY,
  ) {
    this.buckets = new LRUCache(boundedBy(capacity));
  }

  /** Takes a token. Returns 0, or the seconds until one is available. */
  take(key: string, nowMs: number): number {
    const tokens = this.left(key, nowMs);
    if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / this.perSecond));
    this.buckets.set(key, { tokens: tokens - 1, atMs: nowMs });
    return 0;
  }

  /** Returns an unused token. */
  giveBack(key: string, nowMs: number): void {
    this.buckets.set(key, { tokens: Math.min(this.size, this.left(key, nowMs) + 1), atMs: nowMs });
  }

  private left(key: string, nowMs: number): number {
    const bucket = this.buckets.get(key);
    if (!bucket) return this.size;
    // If the clock goes back, no tokens are refilled.
    const seconds = Math.max(0, nowMs - bucket.atMs) / 1000;
    return Math.min(this.size, bucket.tokens + seconds * this.perSecond);
  }
}

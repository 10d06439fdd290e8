import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  atMs: number;
}

const CAPACITY = 10_000;

/** Token buckets by key: each holds so many tokens and is refilled steadily. Remembers the keys that were used last. */
export class TokenBuckets {
  private readonly buckets: LRUCache<string, Bucket>;

  constructor(
    private readonly size: number,
    private readonly perSecond: number,
    capacity = CAPACITY,
  ) {
    this.buckets = new LRUCache({ max: capacity });
  }

  /** Takes a token if one is left. Returns 0 if it was taken, otherwise the seconds until there is one. */
  take(key: string, nowMs: number): number {
    const tokens = this.left(key, nowMs);
    if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / this.perSecond));
    this.buckets.set(key, { tokens: tokens - 1, atMs: nowMs });
    return 0;
  }

  /** Gives an unused token back. */
  giveBack(key: string, nowMs: number): void {
    this.buckets.set(key, { tokens: Math.min(this.size, this.left(key, nowMs) + 1), atMs: nowMs });
  }

  private left(key: string, nowMs: number): number {
    const bucket = this.buckets.get(key);
    if (!bucket) return this.size;
    // A clock that is set back refills nothing.
    const seconds = Math.max(0, nowMs - bucket.atMs) / 1000;
    return Math.min(this.size, bucket.tokens + seconds * this.perSecond);
  }
}

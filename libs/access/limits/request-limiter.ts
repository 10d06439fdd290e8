/** Usage of a rate limit in the current window. */
export interface LimitState {
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
  exceeded: boolean;
}

/** Counts requests per credential across all replicas. */
export abstract class RequestLimiter {
  /** Counts a request; null if the limit is disabled. Never throws: if the request cannot be counted, it is allowed. */
  abstract consume(key: string): Promise<LimitState | null>;
}

/** Count of a credential within its window. */
export interface LimitState {
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
  exceeded: boolean;
}

/** Counts requests per credential over all replicas. */
export abstract class RequestLimiter {
  /** Counts one request; null where the limit is turned off. Never throws: without a count the request goes on. */
  abstract consume(key: string): Promise<LimitState | null>;
}

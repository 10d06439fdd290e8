import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes, RLWrapperTimeouts } from 'rate-limiter-flexible';
import { OrgDatabase, SCHEMA } from '#database';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import { RequestLimiter, type LimitState } from './request-limiter.js';
import { messageOf } from '#core';

const DEFAULT_REQUESTS_PER_MINUTE = 600;
const WINDOW_SECONDS = 60;
/** A count that takes longer is not worth waiting for. */
const PATIENCE_MS = 1000;
const CLEARING_INTERVAL_MS = 300_000;
/** Replicas' clocks may differ: a window is kept an hour longer than any of them needs it. */
const KEPT_MS = 3_600_000;
const CLEAR = `delete from ${SCHEMA}.rate_limits where expire < $1`;

/**
 * Counts in PostgreSQL, so that the limit holds over all replicas: a window begins with its first request and lasts a
 * minute. A key that has used up its window is refused from memory without a query; while the database is away,
 * each replica counts for itself.
 */
@Injectable()
export class StoredRequestLimiter extends RequestLimiter {
  private readonly logger = new Logger('Governance');
  private readonly limit: number;
  private readonly limiter: RLWrapperTimeouts | null;

  constructor(@Inject(ACCESS_OPTIONS) options: AccessOptions, database: OrgDatabase) {
    super();
    this.limit = options.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE;
    if (!Number.isSafeInteger(this.limit) || this.limit < 0) {
      throw new Error('requestsPerMinute: must be a whole number, 0 turns the limit off');
    }
    this.limiter = this.limit === 0 ? null : limiterOf(this.limit, database);
  }

  async consume(key: string): Promise<LimitState | null> {
    if (!this.limiter) return null;
    try {
      return this.state(await this.limiter.consume(digest(key)), false);
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return this.state(refused, true);
      this.logger.error(`Requests cannot be counted: ${messageOf(refused)}`);
      return null;
    }
  }

  private state(result: RateLimiterRes, exceeded: boolean): LimitState {
    return {
      limit: this.limit,
      windowSeconds: WINDOW_SECONDS,
      remaining: exceeded ? 0 : result.remainingPoints,
      resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
      exceeded,
    };
  }
}

function limiterOf(points: number, database: OrgDatabase): RLWrapperTimeouts {
  const window = { points, duration: WINDOW_SECONDS, keyPrefix: '' };
  const stored = new RateLimiterPostgres({
    ...window,
    storeClient: clientOf(database),
    storeType: 'client',
    schemaName: SCHEMA,
    tableName: 'rate_limits',
    tableCreated: true,
    // The library's own timer cannot be stopped and would query a closed database.
    clearExpiredByTimeout: false,
    inMemoryBlockOnConsumed: points,
  });
  clearRegularly(database);
  return new RLWrapperTimeouts({
    limiter: stored,
    timeoutMs: PATIENCE_MS,
    insuranceLimiter: new RateLimiterMemory(window),
  });
}

/** Deletes the windows that ended long ago. What could not be deleted now is deleted the next time. */
function clearRegularly(database: OrgDatabase): void {
  const clear = () => database.global(CLEAR, [Date.now() - KEPT_MS]).catch(() => undefined);
  const timer = setInterval(() => void clear(), CLEARING_INTERVAL_MS).unref();
  database.beforeClose(async () => clearInterval(timer));
}

/** What the limiter uses of a PostgreSQL client. */
function clientOf(database: OrgDatabase) {
  return {
    async query(statement: { text: string; values: unknown[] }): Promise<{ rows: object[]; rowCount: number }> {
      const rows = await database.global<object>(statement.text, statement.values);
      return { rows, rowCount: rows.length };
    },
  };
}

/** The table holds nobody's data, not even an id. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

import { createHash } from 'node:crypto';
import { metrics } from '@opentelemetry/api';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { Clock, messageOf, METER, within } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { Scheduler } from '#scheduler';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import { RequestLimiter, type LimitState } from './request-limiter.js';

const DEFAULT_REQUESTS_PER_MINUTE = 600;
const WINDOW_SECONDS = 60;
/** Timeout in milliseconds for counting one request. After the timeout, the request continues uncounted. */
const TIMEOUT_MS = 1000;
/** Windows are kept an hour longer than needed, because the clocks of replicas may differ. */
const KEPT_MS = 3_600_000;
const CLEAR = `delete from ${SCHEMA}.rate_limits where expire < $1`;

/**
 * Counts in PostgreSQL, so that the limit applies across replicas. A window starts with its first request and lasts a
 * minute. Once a key has reached its limit, its requests are refused from memory, without a query. While the database
 * is unavailable, each replica counts alone.
 */
@Injectable()
export class StoredRequestLimiter extends RequestLimiter {
  private readonly logger = new Logger('Governance');
  private readonly failures = metrics.getMeter(METER).createCounter('governance.request_limit.failures', {
    description: 'Statements of the request limit that failed: counts that one replica kept to itself, and clearings',
    unit: '{statement}',
  });

  private readonly limit: number;
  private readonly limiter: RateLimiterPostgres | null;
  private isAway = false;

  constructor(
    @Inject(ACCESS_OPTIONS) options: AccessOptions,
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    @Inject(Scheduler) scheduler: Pick<Scheduler, 'add'>,
  ) {
    super();
    this.limit = options.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE;
    this.limiter = this.limit === 0 ? null : this.limiterOf(this.limit);
    if (this.limiter) this.clearRegularly(scheduler);
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

  private limiterOf(points: number): RateLimiterPostgres {
    const window = { points, duration: WINDOW_SECONDS, keyPrefix: '' };
    return new RateLimiterPostgres({
      ...window,
      storeClient: {
        query: (statement: { text: string; values: unknown[] }) => this.count(statement.text, statement.values),
      },
      storeType: 'client',
      schemaName: SCHEMA,
      tableName: 'rate_limits',
      tableCreated: true,
      // The library's own cleanup timer cannot be stopped, and would query a closed database.
      clearExpiredByTimeout: false,
      inMemoryBlockOnConsumed: points,
      insuranceLimiter: new RateLimiterMemory(window),
    });
  }

  /** If this call rejects, the library silently counts in memory. The outage is therefore logged here, once. */
  private async count(sql: string, parameters: readonly unknown[]): Promise<{ rows: object[]; rowCount: number }> {
    try {
      const rows = await within(TIMEOUT_MS, this.database.global<object>(sql, parameters));
      if (this.isAway) this.logger.warn('Requests are counted over all replicas again');
      this.isAway = false;
      return { rows, rowCount: rows.length };
    } catch (error) {
      this.failures.add(1, { 'governance.statement': 'count' });
      if (!this.isAway) this.logger.warn(`Each replica counts requests for itself: ${messageOf(error)}`);
      this.isAway = true;
      throw error;
    }
  }

  private clearRegularly(scheduler: Pick<Scheduler, 'add'>): void {
    scheduler.add({
      name: 'request-windows',
      pattern: '40 */5 * * * *',
      runsEverywhere: true,
      failure: 'Windows of requests could not be deleted',
      round: async () => {
        await this.clear();
        return 0;
      },
    });
  }

  /** Deletes windows that ended long ago. */
  private async clear(): Promise<void> {
    try {
      await this.database.global(CLEAR, [this.clock.now().getTime() - KEPT_MS]);
    } catch (error) {
      this.failures.add(1, { 'governance.statement': 'clear' });
      throw error;
    }
  }
}

/** Keys are stored as digests, because the table must not contain personal data, not even ids. */
function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

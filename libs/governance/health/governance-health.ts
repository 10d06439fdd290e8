import { Injectable } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { within } from '#core';
import { ChangeFeed, OrgDatabase } from '#database';
import { OutboxWorker } from '#outbox';

/** Result of a probe. */
@ApiSchema({ name: 'GovernanceHealthDto' })
export class HealthDto extends dtoOf({
  status: f.choice(['ok', 'unavailable'], 'ok'),
  missing: f.texts(['database'], 'What is missing.').optional(),
}) {}

const CHECK_TIMEOUT_MS = 3_000;
/** Maximum age of data in memory, in milliseconds. Older data may not include a recent suspension. */
const STALE_MS = 5_000;

/**
 * Cache time of a database check, in milliseconds. Without the cache, each unauthenticated probe would cause a query.
 */
const LOOK_EVERY_MS = 1_000;

/**
 * Whether the module can serve requests: the database is reachable, the migrations are current, changes from other
 * replicas arrive, and background work runs. A host can use this result in its own probes.
 */
@Injectable()
export class GovernanceHealth {
  private last: { readonly startedAt: number; readonly missing: readonly string[] } | undefined;
  private running: Promise<readonly string[]> | undefined;
  private isStopping = false;

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly worker: OutboxWorker,
  ) {}

  /**
   * Never throws; responds within three seconds. Queries the database at most once a second, and concurrent callers
   * share the result. The state of this process itself is not cached.
   */
  async check(): Promise<HealthDto> {
    if (this.isStopping) return { status: 'unavailable', missing: ['shutting down'] };
    const inDatabase = await this.missingInDatabase();
    // If the database is unreachable, no other check is possible.
    const missing = inDatabase.includes('database') ? inDatabase : [...inDatabase, ...this.missingHere()];
    return missing.length === 0 ? { status: 'ok' } : { status: 'unavailable', missing: [...missing] };
  }

  /** Marks the module as not ready, so that load balancers send no new requests. Call it before a shutdown. */
  beginShutdown(): void {
    this.isStopping = true;
  }

  private missingInDatabase(): Promise<readonly string[]> {
    if (this.last && performance.now() - this.last.startedAt < LOOK_EVERY_MS) return Promise.resolve(this.last.missing);
    this.running ??= this.look().finally(() => (this.running = undefined));
    return this.running;
  }

  private async look(): Promise<readonly string[]> {
    const startedAt = performance.now();
    const pending = await within(CHECK_TIMEOUT_MS, this.database.pendingMigrations()).catch(() => null);
    const missing = pending === null ? ['database'] : pending.map(name => `migration ${name}`);
    this.last = { startedAt, missing };
    return missing;
  }

  private missingHere(): string[] {
    const stale = this.changes.age > STALE_MS ? ['changes of other replicas'] : [];
    const workers = this.worker.isHealthy ? [] : ['background workers'];
    return [...stale, ...workers];
  }
}

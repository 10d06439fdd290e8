import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { within } from '#core';
import { ChangeFeed, OrgDatabase } from '#database';
import { OutboxWorker } from '#outbox';

/** What a probe answers. */
export class HealthDto {
  @ApiProperty({ enum: ['ok', 'unavailable'], example: 'ok' })
  status!: 'ok' | 'unavailable';

  @ApiPropertyOptional({ type: [String], description: 'What is missing.', example: ['database'] })
  missing?: string[];
}

const CHECK_TIMEOUT_MS = 3_000;
/** Decisions from memory that is older than this may miss a suspension. */
const STALE_MS = 5_000;

/** How long an answer of the database stands, so that probes by strangers do not become queries. */
const LOOK_EVERY_MS = 1_000;

/** Whether the module can serve: database reachable, migrations current, changes of other replicas arriving, background
 * work going on. For probes of the host, too. */
@Injectable()
export class GovernanceHealth {
  private last: { readonly startedAt: number; readonly health: HealthDto } | undefined;
  private running: Promise<HealthDto> | undefined;

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly worker: OutboxWorker,
  ) {}

  /** Never throws; answers within three seconds. Looks once a second at most: all who ask meanwhile share one answer. */
  check(): Promise<HealthDto> {
    if (this.last && performance.now() - this.last.startedAt < LOOK_EVERY_MS) return Promise.resolve(this.last.health);
    this.running ??= this.look().finally(() => (this.running = undefined));
    return this.running;
  }

  private async look(): Promise<HealthDto> {
    const startedAt = performance.now();
    const missing = await within(CHECK_TIMEOUT_MS, this.missing()).catch(() => ['database']);
    const health: HealthDto = missing.length === 0 ? { status: 'ok' } : { status: 'unavailable', missing };
    this.last = { startedAt, health };
    return health;
  }

  private async missing(): Promise<string[]> {
    const pending = await this.database.pendingMigrations();
    const stale = this.changes.age > STALE_MS ? ['changes of other replicas'] : [];
    const workers = this.worker.isHealthy ? [] : ['background workers'];
    return [...pending.map(name => `migration ${name}`), ...stale, ...workers];
  }
}

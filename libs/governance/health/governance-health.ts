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

/** Whether the module can serve: database reachable, migrations current, changes of other replicas arriving, background
 * work going on. For probes of the host, too. */
@Injectable()
export class GovernanceHealth {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly worker: OutboxWorker,
  ) {}

  /** Never throws; answers within three seconds. */
  async check(): Promise<HealthDto> {
    const missing = await within(CHECK_TIMEOUT_MS, this.missing()).catch(() => ['database']);
    return missing.length === 0 ? { status: 'ok' } : { status: 'unavailable', missing };
  }

  private async missing(): Promise<string[]> {
    const pending = await this.database.pendingMigrations();
    const stale = this.changes.age > STALE_MS ? ['changes of other replicas'] : [];
    const workers = this.worker.isHealthy ? [] : ['background workers'];
    return [...pending.map(name => `migration ${name}`), ...stale, ...workers];
  }
}

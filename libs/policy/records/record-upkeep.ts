import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OrgDatabase, SCHEMA } from '#database';
import { PartitionUpkeep } from '#outbox';
import { RecordKeeping } from './record-keeping.js';

const FORGET = `select ${SCHEMA}.forget_decision_keys($1, $2)::integer as forgotten`;
/** Number of keys that one statement deletes. */
const PIECE = 20_000;

/**
 * Registers the records' daily partitions for deletion. Deletes idempotency keys whose record is older than the
 * retention.
 */
@Injectable()
export class RecordUpkeep implements OnModuleInit {
  constructor(
    private readonly database: OrgDatabase,
    private readonly upkeep: PartitionUpkeep,
    private readonly keeping: RecordKeeping,
  ) {}

  onModuleInit(): void {
    this.upkeep.add('decisions', this.keeping.retentionDays);
    this.upkeep.addSweep(() => this.forgetKeys());
  }

  private async forgetKeys(): Promise<void> {
    for (let forgotten = PIECE; forgotten >= PIECE;) {
      const values = [this.keeping.retentionDays, PIECE];
      const [row] = await this.database.upkeep<{ forgotten: number }>(FORGET, values);
      forgotten = row?.forgotten ?? 0;
    }
  }
}

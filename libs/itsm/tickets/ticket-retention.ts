import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { OrgDatabase, SCHEMA } from '#database';
import { PartitionUpkeep } from '#outbox';
import { ITSM_OPTIONS, type ItsmOptions } from '../itsm.options.js';

const PRUNE = `select ${SCHEMA}.prune_tickets($1, $2)::integer as pruned`;
/** Maximum number of tickets that one statement deletes. */
const PIECE = 1_000;

/** Deletes tickets that are over when their retention ends. The tickets on the platforms stay. */
@Injectable()
export class TicketRetention implements OnModuleInit {
  constructor(
    private readonly database: OrgDatabase,
    private readonly upkeep: PartitionUpkeep,
    @Inject(ITSM_OPTIONS) private readonly options: ItsmOptions,
  ) {}

  onModuleInit(): void {
    const days = this.options.retentionDays;
    if (days !== undefined) this.upkeep.addSweep(() => this.prune(days));
  }

  private async prune(days: number): Promise<void> {
    for (let pruned = PIECE; pruned >= PIECE;) {
      const [row] = await this.database.upkeep<{ pruned: number }>(PRUNE, [days, PIECE]);
      pruned = row?.pruned ?? 0;
    }
  }
}

import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { OrgDatabase, SCHEMA } from '#database';
import { PartitionUpkeep } from '#outbox';
import { INCIDENTS_OPTIONS, type IncidentsOptions } from '../incidents.options.js';

const PRUNE = `select ${SCHEMA}.prune_incidents($1, $2)::integer as pruned`;
/** Number of incidents that one statement deletes. */
const PIECE = 1_000;

/** Deletes resolved incidents with their timelines at the end of their retention. Open incidents are not deleted. */
@Injectable()
export class IncidentRetention implements OnModuleInit {
  constructor(
    private readonly database: OrgDatabase,
    private readonly upkeep: PartitionUpkeep,
    @Inject(INCIDENTS_OPTIONS) private readonly options: IncidentsOptions,
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

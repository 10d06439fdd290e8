import { Inject, Injectable } from '@nestjs/common';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { Scheduler } from '#scheduler';
import { ITSM_OPTIONS, type ItsmOptions } from '../itsm.options.js';
import { DueConnectors } from './due-connectors.js';
import { reconcileTask } from './reconcile-task.js';

const MINUTE_MS = 60_000;

// If several replicas run this at the same time, only one of them claims the round.
const CLAIM = `
update ${SCHEMA}.itsm_connectors set reconciled_at = $3
where org_id = $1 and id = $2 and (reconciled_at is null or reconciled_at <= $4) returning id`;

/** Polls the ticket statuses of every active connector, if the host has enabled polling. */
@Injectable()
export class Reconciliation {
  /** Starts the rounds that are due. Returns their number. */
  readonly look: () => Promise<number>;

  constructor(
    scheduler: Scheduler,
    @Inject(ITSM_OPTIONS) { reconcileMinutes }: ItsmOptions,
    private readonly database: OrgDatabase,
    private readonly tasks: TaskQueue,
    private readonly connectors: DueConnectors,
  ) {
    if (reconcileMinutes === undefined) {
      this.look = async () => 0;
      return;
    }
    this.look = scheduler.add({
      name: 'ticket-reconciliation',
      pattern: '10 * * * * *',
      failure: 'Ticket statuses could not be polled',
      round: () => this.begin(reconcileMinutes * MINUTE_MS),
    });
  }

  private async begin(intervalMs: number): Promise<number> {
    const due = await this.connectors.find(intervalMs);
    for (const { org_id: orgId, id, now, before } of due) {
      await this.database.transaction(orgId, async em => {
        const claimed = await sqlOf(em).query(CLAIM, [orgId, id, now, before]);
        if (claimed.length > 0) await this.tasks.add(em, orgId, [reconcileTask(id)]);
      });
    }
    return due.length;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { Scheduler } from '#scheduler';
import { ITSM_OPTIONS, type ItsmOptions } from '../itsm.options.js';
import { DueConnectors } from './due-connectors.js';
import { reconcileTask } from './reconcile-task.js';

const MINUTE_MS = 60_000;

// Of replicas that come at once, one finds it to be due still.
const CLAIM = `
update ${SCHEMA}.itsm_connectors set reconciled_at = $3
where org_id = $1 and id = $2 and (reconciled_at is null or reconciled_at <= $4) returning id`;

/** Has every active connector asked again and again where its tickets stand, where the host wants that. */
@Injectable()
export class Reconciliation {
  /** Begins the rounds that are due; how many there were. */
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
      failure: 'Platforms could not be asked where tickets stand',
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

import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { OrgDatabase } from '#database';
import { Scheduler } from '#scheduler';
import { LimitGuard } from './limit-guard.js';
import { OpenRequests } from './open-requests.js';

/**
 * Renews the leases that this replica has on limits, returns unused claims, and exchanges the ends of requests with
 * other replicas.
 */
@Injectable()
export class LimitUpkeep {
  /** Runs the job immediately. */
  readonly run: () => Promise<number>;

  constructor(guard: LimitGuard, open: OpenRequests, clock: Clock, scheduler: Scheduler, database: OrgDatabase) {
    this.run = scheduler.add({
      name: 'limit-upkeep',
      pattern: '* * * * * *',
      // The job runs on every replica, because each process knows only its own claims.
      runsEverywhere: true,
      failure: 'The leases of this replica on limits could not be renewed',
      round: async () => {
        await open.exchange(clock.now().getTime());
        await guard.maintain();
        return 0;
      },
    });
    database.beforeClose(() => guard.handBack());
  }
}

import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { OrgDatabase } from '#database';
import { Scheduler } from '#scheduler';
import { LimitGuard } from './limit-guard.js';
import { OpenRequests } from './open-requests.js';

/** Renews what this replica holds of limits, hands back what it does not need, and exchanges ends of requests. */
@Injectable()
export class LimitUpkeep {
  /** Does it at once. */
  readonly run: () => Promise<number>;

  constructor(guard: LimitGuard, open: OpenRequests, clock: Clock, scheduler: Scheduler, database: OrgDatabase) {
    this.run = scheduler.add({
      name: 'limit-upkeep',
      pattern: '* * * * * *',
      // Each process knows only what it has claimed.
      runsEverywhere: true,
      failure: 'What this replica holds of limits could not be renewed',
      round: async () => {
        await open.exchange(clock.now().getTime());
        await guard.tend();
        return 0;
      },
    });
    database.beforeClose(() => guard.handBack());
  }
}

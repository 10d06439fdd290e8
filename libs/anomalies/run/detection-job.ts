import { setTimeout as rest } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock, UsageActivity } from '#core';
import { Scheduler } from '#scheduler';
import { Detection } from './detection.js';

const ORGANIZATIONS = 100;
/** Milliseconds of one round: an app that stops waits no longer. */
const ROUND_MS = 2_000;
/**
 * Rest after a step, in times of its length: requests have the machine to themselves most of the time. At most so many
 * milliseconds, so that a busy machine ends its passes, too.
 */
const REST = 3;
const REST_MS = 40;
/** Milliseconds between two passes of an organization: the running hour changes all the time. */
const PASS_MS = 5 * 60_000;

/** Has every organization with new usage looked at, every ten minutes. */
@Injectable()
export class DetectionJob {
  /** Looks at all organizations with new usage; answers how many people were looked at. */
  readonly detect: () => Promise<number>;
  /** Where the next round goes on; undefined at the beginning. */
  private after: string | undefined;

  constructor(
    private readonly detection: Detection,
    private readonly activity: UsageActivity,
    private readonly clock: Clock,
    scheduler: Scheduler,
  ) {
    this.detect = scheduler.add({
      name: 'anomaly-detection',
      pattern: '15 */10 * * * *',
      failure: 'Unusual usage could not be looked for',
      round: () => this.round(),
    });
  }

  /** Returns 0 only when all organizations have been looked at. */
  private async round(): Promise<number> {
    const endsAt = performance.now() + ROUND_MS;
    const notSince = new Date(this.clock.now().getTime() - PASS_MS);
    let people = 0;
    for (;;) {
      const organizations = await this.activity.organizations(this.after, ORGANIZATIONS);
      if (organizations.length === 0) break;
      for (const orgId of organizations) {
        for (let open = true; open;) {
          const began = performance.now();
          const step = await this.detection.step(orgId, notSince);
          people += step.people;
          open = step.isPassOpen;
          if (open) await rest(Math.min(REST_MS, REST * (performance.now() - began)));
          if (performance.now() >= endsAt) return Math.max(people, 1);
        }
        this.after = orgId;
      }
    }
    this.after = undefined;
    return 0;
  }
}

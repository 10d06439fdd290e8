import { setTimeout as rest } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock, UsageActivity } from '#core';
import { Scheduler } from '#scheduler';
import { Detection } from './detection.js';

const ORGANIZATIONS = 100;
/** Maximum milliseconds of one run, so that the app stops quickly. */
const ROUND_MS = 2_000;
/**
 * Pause after a step, as a multiple of the step's duration, so that most processor time remains for requests. The pause
 * has an upper bound, so that passes also finish on a busy machine.
 */
const REST = 3;
const REST_MS = 40;
/**
 * Milliseconds between two passes of an organization. The current hour changes all the time and would otherwise cause
 * constant passes.
 */
const PASS_MS = 5 * 60_000;

/** Runs the detection every ten minutes for every organization with new usage. */
@Injectable()
export class DetectionJob {
  /** Processes all organizations with new usage; returns the number of people. */
  readonly detect: () => Promise<number>;
  /** Cursor of the next run; undefined at the start. */
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
      failure: 'Anomaly detection failed',
      round: () => this.round(),
    });
  }

  /** Returns the number of processed people, and 0 only after all organizations were processed. */
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

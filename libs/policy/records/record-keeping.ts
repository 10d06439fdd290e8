import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { POLICY_OPTIONS, type PolicyOptions } from '../policy.options.js';
import type { Decision } from './decision.js';
import { isChosen, timeOf } from './decision-ids.js';

const DEFAULT_RETENTION_DAYS = 90;
const DAY_MS = 86_400_000;
const VERSION_7 = /^.{14}7/;

/** Determines which decisions are recorded, and for how long. */
@Injectable()
export class RecordKeeping {
  /** Days for which records and idempotency keys are kept. */
  readonly retentionDays: number;
  /** Share of decisions without consequences that is recorded. */
  private readonly share: number;

  constructor(
    @Inject(POLICY_OPTIONS) { retentionDays = DEFAULT_RETENTION_DAYS, sampleAllowed = 1 }: PolicyOptions,
    private readonly clock: Clock,
  ) {
    this.retentionDays = retentionDays;
    this.share = sampleAllowed;
  }

  /** The start of the retention. There are no older records. */
  keptSince(): Date {
    return new Date(this.clock.now().getTime() - (this.retentionDays + 1) * DAY_MS);
  }

  /** Whether decisions are sampled. */
  get isSampling(): boolean {
    return this.share < 1;
  }

  /** Share of decisions of this kind that is recorded, if they have no idempotency key. */
  rateOf(decision: Decision): number {
    return this.isSampling && isWithoutConsequence(decision) ? this.share : 1;
  }

  /** Whether a decision with this id may have been made without being recorded. */
  mayBeLeftOut(id: string): boolean {
    return !isChosen(id, this.share) && VERSION_7.test(id);
  }

  /** Explains to a person why a record may be missing. Empty if there is no explanation. */
  whyMissing(id: string): string {
    if (!VERSION_7.test(id)) return '';
    if (timeOf(id) < this.clock.now().getTime() - this.retentionDays * DAY_MS) {
      return ` Records are kept for ${this.retentionDays} days.`;
    }
    return this.mayBeLeftOut(id)
      ? ` Allowed decisions that use no budget and no grant are sampled; the recorded share is ${this.share}.`
      : '';
  }
}

/** Whether a decision has no consequences: no refusal, no alert, no approval and no reservation. */
function isWithoutConsequence({ action, reason, reservation }: Decision): boolean {
  return action === 'allow' && (reason === 'no_policy_matched' || reason === 'policy') && !reservation;
}

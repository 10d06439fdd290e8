import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { POLICY_OPTIONS, type PolicyOptions } from '../policy.options.js';
import type { Decision } from './decision.js';
import { isChosen, timeOf } from './decision-ids.js';

const DEFAULT_RETENTION_DAYS = 90;
const DAY_MS = 86_400_000;
const VERSION_7 = /^.{14}7/;

/** Which decisions are recorded, and for how long. */
@Injectable()
export class RecordKeeping {
  /** Days for which records and idempotency keys are kept. */
  readonly retentionDays: number;
  /** Share of the decisions without consequences that are recorded. */
  private readonly share: number;

  constructor(
    @Inject(POLICY_OPTIONS) { retentionDays = DEFAULT_RETENTION_DAYS, sampleAllowed = 1 }: PolicyOptions,
    private readonly clock: Clock,
  ) {
    this.retentionDays = retentionDays;
    this.share = sampleAllowed;
  }

  /** Whether records are left out at present. */
  get isSampling(): boolean {
    return this.share < 1;
  }

  /** Share of decisions like this one, made without an idempotency key, that are recorded. */
  rateOf(decision: Decision): number {
    return this.isSampling && isWithoutConsequence(decision) ? this.share : 1;
  }

  /** Whether there may have been a decision of this id that was not recorded. */
  mayBeLeftOut(id: string): boolean {
    return !isChosen(id, this.share) && VERSION_7.test(id);
  }

  /** What a person should know who looks for a record that is not there; empty where there is nothing. */
  whyMissing(id: string): string {
    if (!VERSION_7.test(id)) return '';
    if (timeOf(id) < this.clock.now().getTime() - this.retentionDays * DAY_MS) {
      return ` Records are kept for ${this.retentionDays} days.`;
    }
    return this.mayBeLeftOut(id)
      ? ` Of allowed decisions that concern no budget and no grant, a sample is recorded: a share of ${this.share}.`
      : '';
  }
}

/** Whether nothing hangs on the record of a decision: nobody was refused, told, asked or charged. */
function isWithoutConsequence({ action, reason, reservation }: Decision): boolean {
  return action === 'allow' && (reason === 'no_policy_matched' || reason === 'policy') && !reservation;
}

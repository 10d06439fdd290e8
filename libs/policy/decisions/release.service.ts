import { Injectable } from '@nestjs/common';
import { SpendGuard } from '#core';
import { DecisionLog } from './decision-log.js';
import { dollars } from './spend.js';

/** What was given back of a decision's reservation. */
export interface ReleasedSpend {
  readonly decision_id: string;
  /** US dollars; 0 where nothing was held. */
  readonly released_usd: number;
}

/** Gives back what decisions hold of budgets. */
@Injectable()
export class ReleaseService {
  constructor(
    private readonly log: DecisionLog,
    private readonly spend: SpendGuard,
  ) {}

  /** For a call that was not made after all; doing it again changes nothing. @throws DecisionNotFoundError */
  async release(orgId: string, decisionId: string): Promise<ReleasedSpend> {
    const id = decisionId.toLowerCase();
    const picodollars = await this.spend.release(orgId, id);
    // What was held names a decision; only where nothing was must the record tell whether there is one.
    if (picodollars === 0n) await this.log.get(orgId, id);
    return { decision_id: id, released_usd: dollars(picodollars) };
  }
}

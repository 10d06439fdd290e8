import { Injectable } from '@nestjs/common';
import { SpendGuard } from '#core';
import { DecisionLog } from '../records/decision-log.js';
import { RecordKeeping } from '../records/record-keeping.js';
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
    private readonly keeping: RecordKeeping,
  ) {}

  /** For a call that was not made after all; doing it again changes nothing. @throws DecisionNotFoundError */
  async release(orgId: string, decisionId: string): Promise<ReleasedSpend> {
    const id = decisionId.toLowerCase();
    const picodollars = await this.spend.release(orgId, id);
    // What was held names a decision; only where nothing was must the record tell whether there is one. Decisions that
    // are not recorded have held nothing: whoever gives them back is right, too.
    if (picodollars === 0n && !this.keeping.mayBeLeftOut(id)) await this.log.get(orgId, id);
    return { decision_id: id, released_usd: dollars(picodollars) };
  }
}

import { Injectable } from '@nestjs/common';
import { SpendGuard } from '#core';
import { DecisionLog } from '../records/decision-log.js';
import { RecordKeeping } from '../records/record-keeping.js';
import { dollars } from './spend.js';

/** The released amount of a decision's reservation. */
export interface ReleasedSpend {
  readonly decision_id: string;
  /** US dollars; 0 if nothing was reserved. */
  readonly released_usd: number;
}

/** Releases budget reservations of decisions. */
@Injectable()
export class ReleaseService {
  constructor(
    private readonly log: DecisionLog,
    private readonly spend: SpendGuard,
    private readonly keeping: RecordKeeping,
  ) {}

  /** Use it if the call was not made. A repetition changes nothing. @throws DecisionNotFoundError */
  async release(orgId: string, decisionId: string): Promise<ReleasedSpend> {
    const id = decisionId.toLowerCase();
    const picodollars = await this.spend.release(orgId, id);
    // A reservation proves that the decision exists. Without one, the record must prove it. Decisions outside the
    // sample reserved nothing, so their release is accepted too.
    if (picodollars === 0n && !this.keeping.mayBeLeftOut(id)) await this.log.get(orgId, id);
    return { decision_id: id, released_usd: dollars(picodollars) };
  }
}

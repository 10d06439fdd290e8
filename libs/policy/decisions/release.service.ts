import { Injectable } from '@nestjs/common';
import { SpendGuard } from '#core';
import { DecisionLog } from '../records/decision-log.js';
import { RecordKeeping } from '../records/record-keeping.js';
import { dollars } from './spend.js';

/** The released amount of a decision's reservation. */
export interface ReleasedSpend {
  readonly decision_id: string;
  /** The released amount in US dollars; 0 if no money was reserved. */
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

  /**
   * Releases the reservation of a decision whose call was not made. Idempotent.
   * @throws DecisionNotFoundError
   */
  async release(orgId: string, decisionId: string): Promise<ReleasedSpend> {
    const id = decisionId.toLowerCase();
    const picodollars = await this.spend.release(orgId, id);
    // A reservation proves that the decision exists. Without a reservation, the record must prove it. Decisions outside
    // the sample have no record and reserved no money, so their release is accepted without a check.
    if (picodollars === 0n && !this.keeping.mayBeLeftOut(id)) await this.log.get(orgId, id);
    return { decision_id: id, released_usd: dollars(picodollars) };
  }
}

import type { ComparedOutcome } from './comparison.js';
import type { JudgedRequest } from './judged-requests.js';
import { RECORDS_PER_LOOK, type TimeSlices } from './time-slices.js';
import type { RecordPiece } from './record-piece.js';
import type { RefusedRequest, SimulationTally } from './simulation-tally.js';

/** What judged records are counted with. */
export interface PieceCounterPorts {
  readonly tally: SimulationTally;
  readonly slices: Pick<TimeSlices, 'isDue' | 'yieldNow'>;
  /** What requests have cost, in picodollars, by the ids of their decisions. */
  readonly costsOf: (refused: readonly RefusedRequest[]) => Promise<ReadonlyMap<string, bigint>>;
  /** Hears of each. */
  readonly onJudged?: ((decisionId: string, outcome: ComparedOutcome) => void) | undefined;
}

/** Counts judged records piece by piece, and adds what the refused ones of a piece have cost while the next is judged. */
export class PieceCounter {
  private costs: Promise<void> = Promise.resolve();

  constructor(private readonly ports: PieceCounterPorts) {}

  /** Counts a piece. What is given up for want of room has its costs by then. */
  async add(records: RecordPiece, judged: readonly (JudgedRequest | undefined)[]): Promise<void> {
    const { tally, costsOf } = this.ports;
    const refused = await this.count(records, judged);
    await this.costs;
    this.costs = costsOf(refused).then(found => tally.addCosts(refused, found));
    // Whoever waits for it hears of a failure; nobody may be left to.
    this.costs.catch(() => undefined);
    if (!tally.isFull) return;
    await this.costs;
    tally.shed();
  }

  /** Resolves when all costs are added. */
  end(): Promise<void> {
    return this.costs;
  }

  private async count(
    records: RecordPiece,
    judgedRequests: readonly (JudgedRequest | undefined)[],
  ): Promise<RefusedRequest[]> {
    const { tally, slices, onJudged } = this.ports;
    const refused: RefusedRequest[] = [];
    // No iterator and no closure: there may be millions, and what each leaves behind makes the process grow.
    for (let at = 0; at < judgedRequests.length; at++) {
      if (at % RECORDS_PER_LOOK === 0 && slices.isDue) await slices.yieldNow();
      const judged = judgedRequests[at];
      // Not kept any more.
      if (!judged) continue;
      const decisionId = judged.keys || onJudged ? records.idAt(at) : '';
      onJudged?.(decisionId, judged.outcome);
      const tallies = tally.add(judged, decisionId);
      if (tallies) refused.push({ decisionId, weight: judged.weight, tallies });
    }
    return refused;
  }
}

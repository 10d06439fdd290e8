import type { ComparedOutcome } from './comparison.js';
import type { JudgedRequest } from './judged-requests.js';
import { RECORDS_PER_LOOK, type TimeSlices } from './time-slices.js';
import type { RecordPiece } from './record-piece.js';
import type { RefusedRequest, SimulationTally } from './simulation-tally.js';

/** Dependencies of the counter. */
export interface PieceCounterPorts {
  readonly tally: SimulationTally;
  readonly slices: Pick<TimeSlices, 'isDue' | 'yieldNow'>;
  /** Reads the cost of requests in picodollars, by the ids of their decisions. */
  readonly costsOf: (refused: readonly RefusedRequest[]) => Promise<ReadonlyMap<string, bigint>>;
  /** Called for each record. */
  readonly onJudged?: ((decisionId: string, outcome: ComparedOutcome) => void) | undefined;
}

/**
 * Counts evaluated records chunk by chunk. The costs of the refused requests of a chunk are read while the next chunk
 * is evaluated.
 */
export class PieceCounter {
  private costs: Promise<void> = Promise.resolve();

  constructor(private readonly ports: PieceCounterPorts) {}

  /** Counts a chunk. Keys are evicted only after the costs of their requests were added. */
  async add(records: RecordPiece, judged: readonly (JudgedRequest | undefined)[]): Promise<void> {
    const { tally, costsOf } = this.ports;
    const refused = await this.count(records, judged);
    await this.costs;
    this.costs = costsOf(refused).then(found => tally.addCosts(refused, found));
    // Prevents an unhandled rejection. A caller that awaits the promise still gets the error.
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
    // Uses no iterator and no closure, because millions of records would cause too much garbage.
    for (let at = 0; at < judgedRequests.length; at++) {
      if (at % RECORDS_PER_LOOK === 0 && slices.isDue) await slices.yieldNow();
      const judged = judgedRequests[at];
      // The record was deleted in the meantime.
      if (!judged) continue;
      const decisionId = judged.keys || onJudged ? records.idAt(at) : '';
      onJudged?.(decisionId, judged.outcome);
      const tallies = tally.add(judged, decisionId);
      if (tallies) refused.push({ decisionId, weight: judged.weight, tallies });
    }
    return refused;
  }
}

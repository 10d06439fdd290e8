import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { BadRequestError, Clock } from '#core';
import { RecordKeeping } from '../decisions/record-keeping.js';
import type { Comparison, ComparedOutcome } from './comparison.js';
import { DecisionScan, type PieceForm, type TimeRange } from './decision-scan.js';
import { JudgedRequests, type JudgedRequest } from './judged-requests.js';
import { Pace } from './pace.js';
import { PolicyProposals, type PolicyProposal } from './policy-proposals.js';
import { WholePiece, type DigestPiece, type RecordPiece } from './record-piece.js';
import { sampledDecision, type SampledDecision } from './sampled-decision.js';
import { SimulatedUsage } from './simulated-usage.js';
import { reportOf, type SimulationReport } from './simulation-report.js';
import { SimulationSlots } from './simulation-slots.js';
import { SimulationTally, type RefusedRequest } from './simulation-tally.js';

/** Days that a simulation looks back. */
export const SIMULATION_DAYS = { default: 7, max: 90 } as const;

const DAY_MS = 86_400_000;
/** Looking at the clock for each record would cost as much as judging it. */
const RECORDS_PER_LOOK = 16;
/** Pieces that bring whole requests before digests are tried again. */
const WHOLE_IN_A_ROW = 20;

/** A policy to be tried, and on what. */
export interface SimulationRequest extends PolicyProposal {
  /** How many days back: 1 to 90. Default: 7. */
  readonly days?: number | undefined;
}

/** How far a simulation is. */
export interface SimulationProgress {
  /** Records looked at. */
  readonly evaluated: number;
  /** Records in all: exact up to 10,000, an estimate beyond. */
  readonly totalEstimate: number;
}

/** What the caller has to do with a running simulation. */
export interface SimulationControl {
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  /** Called when it begins, and some four times a second. */
  readonly onProgress?: ((progress: SimulationProgress) => void) | undefined;
  /** Called for every recorded decision, the newest first. Must be quick. */
  readonly onJudged?: ((decisionId: string, outcome: ComparedOutcome) => void) | undefined;
}

/**
 * Tries a policy on what was asked before: every recorded decision of some days is judged by the policies as they are,
 * and with the draft, by the engine that decides. People are as they were recorded; grants and budgets are left out.
 * Everything is read in pieces, and nothing is written.
 */
@Injectable()
export class PolicySimulator implements BeforeApplicationShutdown {
  private readonly slots = new SimulationSlots();

  constructor(
    private readonly proposals: PolicyProposals,
    private readonly decisions: DecisionScan,
    private readonly usage: SimulatedUsage,
    private readonly keeping: RecordKeeping,
    private readonly clock: Clock,
  ) {}

  beforeApplicationShutdown(): void {
    this.slots.close();
  }

  /**
   * @throws BadRequestError naming every field at fault
   * @throws PolicyNotFoundError
   * @throws SimulationUnderWayError where the organization has one that has not ended
   * @throws RateLimitedError where this process runs as many as it may
   * @throws UnavailableError where the process stops, or what is read is out of reach
   */
  async simulate(
    orgId: string,
    request: SimulationRequest,
    control: SimulationControl = {},
  ): Promise<SimulationReport> {
    const { days = SIMULATION_DAYS.default } = request;
    if (!Number.isInteger(days) || days < 1 || days > SIMULATION_DAYS.max) {
      throw BadRequestError.field('days', `must be a whole number from 1 to ${SIMULATION_DAYS.max}`);
    }
    this.proposals.check(request);
    return this.slots.run(orgId, control.signal, async signal => {
      const comparison = await this.proposals.compare(orgId, request);
      const to = this.clock.now();
      const range = { from: new Date(to.getTime() - days * DAY_MS), to };
      const totalEstimate = await this.decisions.estimate(orgId, range);
      const tally = new SimulationTally(this.keeping.isSampling);
      const pace = new Pace(signal, () => control.onProgress?.({ evaluated: tally.records, totalEstimate }));
      await pace.stepBack();
      await this.judgeDecisions(orgId, range, {
        requests: new JudgedRequests(comparison),
        tally,
        pace,
        control,
      });
      const usage = await this.usage.judge(orgId, { to, days }, comparison, pace);
      const sample = await this.sample(orgId, tally.sample, comparison);
      return reportOf(range, tally, sample, usage);
    });
  }

  /** While a piece is judged, the next one is read, and it is asked what the refused ones of the last have cost. */
  private async judgeDecisions(orgId: string, range: TimeRange, work: Work): Promise<void> {
    const { tally } = work;
    let costs: Promise<void> = Promise.resolve();
    const form = formByNovelty(work.requests);
    for await (const records of this.decisions.read(orgId, range, form)) {
      const judged =
        records instanceof WholePiece ? await judgeEach(records, work) : await this.judgePiece(orgId, records, work);
      const refused = await countAll(records, judged, work);
      await costs;
      costs = this.usage.costsOf(orgId, refused).then(found => tally.addCosts(refused, found));
      costs.catch(() => undefined);
      if (!tally.isFull) continue;
      await costs;
      tally.shed();
    }
    await costs;
  }

  /** What comes out of the requests of a piece, each at its place. Only those that were not judged lately are read. */
  private async judgePiece(
    orgId: string,
    records: DigestPiece,
    { requests, pace }: Work,
  ): Promise<(JudgedRequest | undefined)[]> {
    const judged: (JudgedRequest | undefined)[] = [];
    const unknown = new Map<string, string>();
    for (let at = 0; at < records.size; at++) {
      const digest = records.digestAt(at);
      const known = requests.find(digest);
      judged.push(known);
      if (!known) unknown.set(digest, records.idAt(at));
    }
    if (unknown.size === 0) return judged;
    const texts = await this.decisions.requestsOf(orgId, [...unknown.values()]);
    const found = new Map<string, JudgedRequest>();
    for (const [digest, id] of unknown) {
      if (pace.isDue) await pace.stepBack();
      const text = texts.get(id);
      if (text !== undefined) found.set(digest, requests.judge(digest, text));
    }
    return judged.map((known, at) => known ?? found.get(records.digestAt(at)));
  }

  private async sample(orgId: string, ids: readonly string[], comparison: Comparison): Promise<SampledDecision[]> {
    const texts = await this.decisions.requestsOf(orgId, ids);
    return ids.flatMap(id => {
      const text = texts.get(id);
      return text === undefined ? [] : [sampledDecision(id, text, comparison)];
    });
  }
}

/**
 * Where people ask for ever new things, digests are in vain: after a piece that brought mostly new requests, the next ones
 * bring theirs along, until it is looked again.
 */
function formByNovelty(requests: JudgedRequests): () => PieceForm {
  let wholeOnes = 0;
  return () => {
    if (wholeOnes === 0 && requests.areMostlyNew()) wholeOnes = WHOLE_IN_A_ROW;
    if (wholeOnes === 0) return 'digests';
    wholeOnes--;
    return 'whole';
  };
}

async function judgeEach(records: WholePiece, { requests, pace }: Work): Promise<JudgedRequest[]> {
  const judged: JudgedRequest[] = [];
  for (let at = 0; at < records.size; at++) {
    if (at % RECORDS_PER_LOOK === 0 && pace.isDue) await pace.stepBack();
    judged.push(requests.judgeOnce(records.requestAt(at)));
  }
  return judged;
}

/** What goes through a simulation from piece to piece. */
interface Work {
  readonly requests: JudgedRequests;
  readonly tally: SimulationTally;
  readonly pace: Pace;
  readonly control: SimulationControl;
}

/** Counts records whose requests have been judged; returns those whose cost is wanted. */
async function countAll(
  records: RecordPiece,
  judgedRequests: readonly (JudgedRequest | undefined)[],
  { tally, pace, control: { onJudged } }: Work,
): Promise<RefusedRequest[]> {
  const refused: RefusedRequest[] = [];
  // No iterator and no closure: there may be millions, and what each leaves behind makes the process grow.
  for (let at = 0; at < judgedRequests.length; at++) {
    if (at % RECORDS_PER_LOOK === 0 && pace.isDue) await pace.stepBack();
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

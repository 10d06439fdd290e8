import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { BadRequestError, Clock } from '#core';
import { RecordKeeping } from '../records/record-keeping.js';
import type { Comparison, ComparedOutcome } from './comparison.js';
import { DecisionScan } from './decision-scan.js';
import { JudgedRequests } from './judged-requests.js';
import { TimeSlices } from './time-slices.js';
import { PieceCounter } from './piece-counter.js';
import { ChunkEvaluator } from './chunk-evaluator.js';
import { PolicyProposals, type PolicyProposal } from './policy-proposals.js';
import { sampledDecision, type SampledDecision } from './sampled-decision.js';
import { SimulatedUsage } from './simulated-usage.js';
import { reportOf, type SimulationReport } from './simulation-report.js';
import { SimulationSlots } from './simulation-slots.js';
import { SimulationTally } from './simulation-tally.js';

/** Number of days that a simulation looks back. */
export const SIMULATION_DAYS = { default: 7, max: 90 } as const;

const DAY_MS = 86_400_000;
/** A draft and the range of the simulation. */
export interface SimulationRequest extends PolicyProposal {
  /** Number of days to look back: 1 to 90. Default: 7. */
  readonly days?: number | undefined;
}

/** Progress of a simulation. */
export interface SimulationProgress {
  /** Number of evaluated records. */
  readonly evaluated: number;
  /** Total number of records: exact up to 10,000, an estimate above that. */
  readonly totalEstimate: number;
}

/** Callbacks and abort signal of a running simulation. */
export interface SimulationControl {
  /** Aborts the simulation. */
  readonly signal?: AbortSignal | undefined;
  /** Called at the start, and then about four times a second. */
  readonly onProgress?: ((progress: SimulationProgress) => void) | undefined;
  /** Called for every recorded decision, the newest first. Must be quick. */
  readonly onJudged?: ((decisionId: string, outcome: ComparedOutcome) => void) | undefined;
}

/**
 * Simulates a draft policy. Evaluates every recorded decision of some days with the current policies and with the
 * draft. Uses the engine of real decisions and the recorded attributes of people. Grants and budgets are ignored. Reads
 * in chunks and writes nothing.
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
   * @throws BadRequestError naming every invalid field
   * @throws PolicyNotFoundError
   * @throws SimulationUnderWayError if the organization already runs a simulation
   * @throws RateLimitedError if this process already runs the maximum number
   * @throws UnavailableError if the process is stopping, or the database is unavailable
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
      const slices = new TimeSlices(signal, () => control.onProgress?.({ evaluated: tally.records, totalEstimate }));
      await slices.yieldNow();
      const judge = new ChunkEvaluator(orgId, this.decisions, new JudgedRequests(comparison), slices);
      const counter = new PieceCounter({
        ...{ tally, slices, onJudged: control.onJudged },
        costsOf: refused => this.usage.costsOf(orgId, refused),
      });
      for await (const records of this.decisions.read(orgId, range, judge.form)) {
        await counter.add(records, await judge.judge(records));
      }
      await counter.end();
      const usage = await this.usage.judge(orgId, { to, days }, comparison, slices);
      const sample = await this.sample(orgId, tally.sample, comparison);
      return reportOf(range, tally, sample, usage);
    });
  }

  private async sample(orgId: string, ids: readonly string[], comparison: Comparison): Promise<SampledDecision[]> {
    const found: SampledDecision[] = [];
    for (const id of ids) {
      // Reads one decision after another, because each may be large.
      for await (const texts of this.decisions.requestsOf(orgId, [{ id, bytes: 0 }])) {
        const text = texts.get(id);
        if (text !== undefined) found.push(sampledDecision(id, text, comparison));
      }
    }
    return found;
  }
}

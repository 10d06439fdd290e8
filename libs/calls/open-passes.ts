import { metrics } from '@opentelemetry/api';
import { Injectable, Logger } from '@nestjs/common';
import { Clock, METER, messageOf } from '#core';

const STAGES = ['decision', 'cover', 'settlement'] as const;

/** The operation that failed when a call passed without governance. */
export type PassedStage = (typeof STAGES)[number];

/** Number of calls of an organization that this process has let pass ungoverned since it started. */
export interface OpenPassReport {
  readonly passes: number;
  readonly first_at: string | null;
  readonly last_at: string | null;
  /** The reason why the latest call passed. */
  readonly last_reason: string | null;
}

/**
 * Maximum number of organizations with their own counts. Calls of further organizations are counted only in total, and
 * logged.
 */
const ORGANIZATIONS_MAX = 10_000;
/** An outage counts as over after this time without a passed call. */
const QUIET_MS = 60_000;

/** Counts the calls that passed during an outage, and logs the start and the end of each outage. */
@Injectable()
export class OpenPasses {
  private readonly logger = new Logger('Governance');
  private readonly byOrganization = new Map<string, OpenPassReport>();
  private episode: { passes: number; lastAt: number } | undefined;
  private readonly counter = metrics.getMeter(METER).createCounter('governance.calls.open_passes', {
    description: 'Calls that passed ungoverned because governance was unavailable and onUnavailable is allow',
    unit: '{call}',
  });

  constructor(private readonly clock: Clock) {
    // Creates the counters with 0, so that the first passed call is visible as an increase.
    for (const stage of STAGES) this.counter.add(0, { 'governance.stage': stage });
  }

  /** Counts a call that passes without a decision. */
  note(orgId: string, stage: PassedStage, error: unknown): void {
    this.counter.add(1, { 'governance.stage': stage });
    const reason = `${stage}: ${messageOf(error)}`;
    const at = this.clock.now().toISOString();
    const before = this.byOrganization.get(orgId);
    if (before || this.byOrganization.size < ORGANIZATIONS_MAX) {
      const passes = (before?.passes ?? 0) + 1;
      this.byOrganization.set(orgId, { passes, first_at: before?.first_at ?? at, last_at: at, last_reason: reason });
    }
    if (this.isOver()) this.end();
    if (!this.episode) this.logger.warn(`Governance is unavailable and calls pass ungoverned: ${reason}`);
    this.episode = { passes: (this.episode?.passes ?? 0) + 1, lastAt: performance.now() };
  }

  /** Records that a decision was made, which may end an outage. */
  noteDecided(): void {
    if (this.episode && this.isOver()) this.end();
  }

  /** The passes of an organization in this process. */
  of(orgId: string): OpenPassReport {
    return this.byOrganization.get(orgId) ?? { passes: 0, first_at: null, last_at: null, last_reason: null };
  }

  private isOver(): boolean {
    return this.episode !== undefined && performance.now() - this.episode.lastAt > QUIET_MS;
  }

  private end(): void {
    this.logger.warn(`Calls are governed again; ${this.episode?.passes} passed ungoverned meanwhile`);
    this.episode = undefined;
  }
}

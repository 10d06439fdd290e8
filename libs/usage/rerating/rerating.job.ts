import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { plainArray, SCHEMA, sqlOf } from '#database';
import { JobHandler, OutboxWorker, type Outcome, type Settled, type Task } from '#outbox';
import { picoToDecimalString } from '../prices/index.js';
import { AdjustmentLedger } from './adjustment-ledger.js';
import { nextPiece, type EventPiece } from './rated-events.js';
import { Repricer } from './repricer.js';
import { scopeFilter, type Adjustment } from './reprice.js';
import { RERATING_QUEUE, type ReratingPayload } from './rerating-task.js';

/** Result of one step; null if the step was only the initial delay. */
interface Step {
  examined: number;
  adjustments: Adjustment[];
  isLast: boolean;
}

/**
 * Initial delay of a re-rating. Within a second, every process learns of a changed price. Soon after, each process has
 * stored all usage that it priced before. After the delay, usage is stored only with the new prices.
 */
const PRICES_ARRIVE_MS = 1_500;

const ADVANCE = `
update ${SCHEMA}.usage_reratings
set status = $3, events_examined = events_examined + $4, events_adjusted = events_adjusted + $5,
    adjustment_usd = adjustment_usd + $6::numeric, finished_at = $7
where org_id = $1 and id = $2`;

const FAIL = `
update ${SCHEMA}.usage_reratings set status = 'failed', finished_at = $3
where org_id = $1 and id = any($2::uuid[]) and status in ('pending', 'running')`;

/**
 * Runs re-ratings, 2,000 events at a time. A transaction stores the progress together with the adjustments. After a
 * crash, the job resumes there and adjusts no event twice.
 */
@Injectable()
export class ReratingJob extends JobHandler<EventPiece, Step | null> implements OnModuleInit {
  readonly name = RERATING_QUEUE;
  override readonly slots = 2;
  override readonly slotsPerKey = 1;
  /** Milliseconds between the request for a re-rating and its first step. */
  readonly pauseMs: number = PRICES_ARRIVE_MS;

  constructor(
    private readonly worker: OutboxWorker,
    private readonly repricer: Repricer,
    private readonly ledger: AdjustmentLedger,
    private readonly clock: Clock,
  ) {
    super();
  }

  onModuleInit(): void {
    this.worker.addJob(this);
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, EventPiece>> {
    const pieces = new Map<string, EventPiece>();
    for (const { id, payload } of tasks) {
      const { isBegun } = payloadOf(payload);
      pieces.set(id, isBegun ? await nextPiece(sqlOf(em), orgId, payloadOf(payload)) : { events: [], next: null });
    }
    return pieces;
  }

  async perform(task: Task, piece: EventPiece): Promise<Outcome<Step | null>> {
    const payload = payloadOf(task.payload);
    if (!payload.isBegun) {
      return { againAfterMs: this.pauseMs, payload: { ...payload, isBegun: true }, answered: true, result: null };
    }
    const events = piece.events.filter(scopeFilter(payload.provider, payload.model));
    const adjustments = await this.repricer.adjustmentsOf(task.orgId, events);
    const isLast = piece.next === null;
    return {
      againAfterMs: isLast ? null : 0,
      payload: { ...payload, after: piece.next },
      answered: true,
      result: { examined: events.length, adjustments, isLast },
    };
  }

  async settle(em: EntityManager, orgId: string, settled: readonly Settled<Step | null>[]): Promise<void> {
    for (const { task, result } of settled) {
      if (result === null) continue;
      const { examined, adjustments, isLast } = result;
      const now = this.clock.now();
      await this.ledger.append(em, orgId, task.id, adjustments, now);
      const sum = adjustments.reduce((total, { picodollars }) => total + picodollars, 0n);
      await sqlOf(em).query(ADVANCE, [
        orgId,
        task.id,
        isLast ? 'done' : 'running',
        examined,
        adjustments.length,
        picoToDecimalString(sum),
        isLast ? now.toISOString() : null,
      ]);
    }
  }

  override async onDeadLetter(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<void> {
    await sqlOf(em).query(FAIL, [orgId, plainArray(tasks, task => task.id), this.clock.now().toISOString()]);
  }
}

function payloadOf(payload: Task['payload']): ReratingPayload {
  // `Reratings` and `perform` in this file have written this value.
  return payload as ReratingPayload;
}

import { metrics } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import { METER } from '#core';
import type { Decision } from '../records/decision.js';

/**
 * Counts decisions for whoever has set up OpenTelemetry. The instruments are made when the module is, because a meter
 * that was asked for before the SDK started stays silent for good.
 */
@Injectable()
export class DecisionMetrics {
  private readonly meter = metrics.getMeter(METER);
  private readonly decisions = this.meter.createCounter('governance.decisions', {
    description: 'Decisions made, by action and reason',
    unit: '{decision}',
  });

  private readonly leftOut = this.meter.createCounter('governance.decision_records.left_out', {
    description: 'Allowed decisions that were counted and not recorded, because they are not in the sample',
    unit: '{record}',
  });

  /** Counts one decision, whether or not it is recorded. */
  count({ action, reason }: Decision): void {
    this.decisions.add(1, { 'governance.action': action, 'governance.reason': reason });
  }

  /** Counts a decision that is not recorded. */
  countLeftOut({ reason }: Decision): void {
    this.leftOut.add(1, { 'governance.reason': reason });
  }

  /** Shows how many decision records wait to be written, whenever somebody looks. */
  watchWaiting(waiting: () => number): void {
    this.meter
      .createObservableGauge('governance.decision_records.waiting', {
        description: 'Decision records that are not written yet',
        unit: '{record}',
      })
      .addCallback(result => result.observe(waiting()));
  }
}

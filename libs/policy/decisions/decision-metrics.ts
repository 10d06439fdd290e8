import { metrics } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import { METER } from '#core';
import type { Decision } from '../records/decision.js';

/**
 * Counts decisions in OpenTelemetry metrics. The instruments are created together with the module, because a meter that
 * was requested before the SDK started never reports.
 */
@Injectable()
export class DecisionMetrics {
  private readonly meter = metrics.getMeter(METER);
  private readonly decisions = this.meter.createCounter('governance.decisions', {
    description: 'Decisions made, by action and reason',
    unit: '{decision}',
  });

  private readonly leftOut = this.meter.createCounter('governance.decision_records.left_out', {
    description: 'Allowed decisions that were counted but not recorded, because they are outside the sample',
    unit: '{record}',
  });

  /** Counts one decision. It need not be recorded. */
  count({ action, reason }: Decision): void {
    this.decisions.add(1, { 'governance.action': action, 'governance.reason': reason });
  }

  /** Counts a decision that is not recorded. */
  countLeftOut({ reason }: Decision): void {
    this.leftOut.add(1, { 'governance.reason': reason });
  }

  /** Registers a gauge for the number of decision records that wait to be written. */
  watchWaiting(waiting: () => number): void {
    this.meter
      .createObservableGauge('governance.decision_records.waiting', {
        description: 'Decision records that wait to be written',
        unit: '{record}',
      })
      .addCallback(result => result.observe(waiting()));
  }
}

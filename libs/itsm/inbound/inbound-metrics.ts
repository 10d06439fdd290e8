import { metrics } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import { GovernanceError, METER, type ErrorCode } from '#core';
import type { ReportOutcome } from './report.js';

/** Reason why a report was refused. */
type Refusal = 'address' | 'secret' | 'size' | 'body' | 'unknown_ticket' | 'rate' | 'failure';

const REFUSALS: Partial<Record<ErrorCode, Refusal>> = {
  forbidden: 'address',
  unauthorized: 'secret',
  payload_too_large: 'size',
  bad_request: 'body',
  unsupported_media_type: 'body',
  not_found: 'unknown_ticket',
  rate_limited: 'rate',
};

/** OpenTelemetry counters of reports. */
@Injectable()
export class InboundMetrics {
  private readonly reports = metrics.getMeter(METER).createCounter('governance.itsm.reports', {
    description: 'Reports received from ticket platforms, by outcome and reason of refusal',
    unit: '{report}',
  });

  /** Counts a report that was accepted. */
  count(outcome: ReportOutcome): void {
    this.reports.add(1, { 'governance.outcome': outcome });
  }

  /** Counts a request that was answered with an error. */
  countRefusal(thrown: unknown): void {
    const reason = (thrown instanceof GovernanceError ? REFUSALS[thrown.code] : undefined) ?? 'failure';
    this.reports.add(1, { 'governance.outcome': 'refused', 'governance.reason': reason });
  }
}

import { Catch, Injectable } from '@nestjs/common';
import { ErrorFilter, type ErrorAnswer } from '#access';
import { InboundMetrics } from '../inbound-metrics.js';

/** Adds a metric of refused reports to the usual error answers. */
@Catch()
@Injectable()
export class InboundErrorFilter extends ErrorFilter {
  constructor(private readonly metrics: InboundMetrics) {
    super();
  }

  protected override answerTo(thrown: unknown, requestId: string): ErrorAnswer {
    this.metrics.countRefusal(thrown);
    return super.answerTo(thrown, requestId);
  }
}

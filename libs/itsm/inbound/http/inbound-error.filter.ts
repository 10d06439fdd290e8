import { Catch, Injectable } from '@nestjs/common';
import { ErrorFilter, type ErrorAnswer } from '#access';
import { InboundMetrics } from '../inbound-metrics.js';

/** Answers as everywhere, and counts what was refused. */
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

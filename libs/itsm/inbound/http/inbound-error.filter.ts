import { Catch, Injectable, type ArgumentsHost } from '@nestjs/common';
import { ErrorFilter } from '#access';
import { InboundMetrics } from '../inbound-metrics.js';

/** Answers as everywhere, and counts what was refused. */
@Catch()
@Injectable()
export class InboundErrorFilter extends ErrorFilter {
  constructor(private readonly metrics: InboundMetrics) {
    super();
  }

  override catch(thrown: unknown, host: ArgumentsHost): void {
    this.metrics.countRefusal(thrown);
    super.catch(thrown, host);
  }
}

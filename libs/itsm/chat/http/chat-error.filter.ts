import { Catch, Injectable } from '@nestjs/common';
import { ErrorFilter, type ErrorAnswer } from '#access';
import { ChatMetrics } from './chat-metrics.js';

/** Adds a metric of refused requests to the usual error answers. */
@Catch()
@Injectable()
export class ChatErrorFilter extends ErrorFilter {
  constructor(private readonly metrics: ChatMetrics) {
    super();
  }

  protected override answerTo(thrown: unknown, requestId: string): ErrorAnswer {
    this.metrics.countRefusal(thrown);
    return super.answerTo(thrown, requestId);
  }
}

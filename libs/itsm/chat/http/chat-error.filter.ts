import { Catch, Injectable } from '@nestjs/common';
import { ErrorFilter, type ErrorAnswer } from '#access';
import { ChatMetrics } from './chat-metrics.js';

/** Answers as everywhere, and counts what was refused. */
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

import { Catch, Injectable, type ArgumentsHost } from '@nestjs/common';
import { ErrorFilter } from '#access';
import { ChatMetrics } from './chat-metrics.js';

/** Answers as everywhere, and counts what was refused. */
@Catch()
@Injectable()
export class ChatErrorFilter extends ErrorFilter {
  constructor(private readonly metrics: ChatMetrics) {
    super();
  }

  override catch(thrown: unknown, host: ArgumentsHost): void {
    this.metrics.countRefusal(thrown);
    super.catch(thrown, host);
  }
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { AnswerSink, EgressError, StreamControl, StreamLimits } from './egress-request.js';
import { classifyFailure } from './failure.js';

/** Honest servers send a few (100, 102, 103) at most. */
const MAX_INFORMATIONAL = 32;

const ABANDONED = new Error('The caller no longer waits for this answer.');

const LATE = {
  connectMs: 'The endpoint could not be connected to',
  firstByteMs: 'The endpoint did not begin to answer',
  idleMs: 'The endpoint sent nothing more of its answer',
} as const satisfies Record<keyof StreamLimits, string>;

/**
 * One request and its streamed response. Each part of the call has its own time limit. No timer runs while the sink has
 * paused the response.
 */
export class StreamedExchange implements Dispatcher.DispatchHandler, StreamControl {
  sent = false;
  private ended = false;
  private paused = false;
  private informational = 0;
  private part: keyof StreamLimits = 'connectMs';
  private timer: NodeJS.Timeout;
  private controller?: Dispatcher.DispatchController;
  private readonly limits: StreamLimits;

  constructor(
    { limits }: { limits: StreamLimits },
    private readonly sink: AnswerSink,
  ) {
    this.limits = limits;
    this.timer = setTimeout(this.onTime, limits.connectMs);
  }

  resume(): void {
    if (!this.paused || this.ended) return;
    this.paused = false;
    this.timer.refresh();
    this.controller?.resume();
  }

  abort(): void {
    if (this.finish()) this.controller?.abort(ABANDONED);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing makes undici drop the request and keep the connection; aborting would close it.
    if (this.ended) throw ABANDONED;
    this.sent = true;
    this.controller = controller;
    this.enter('firstByteMs');
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.ended) return;
    if (status >= 200) {
      this.enter('idleMs');
      this.sink.onHead(status, headers);
      return;
    }
    this.informational += 1;
    if (this.informational <= MAX_INFORMATIONAL) return;
    this.fail({ code: 'protocol', message: 'The endpoint sent informational answers (1xx) without end.' });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.ended) return;
    this.timer.refresh();
    if (this.sink.onData(chunk) || this.ended) return;
    this.paused = true;
    controller.pause();
  }

  onResponseEnd(): void {
    if (this.finish()) this.sink.onEnd();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.finish()) this.sink.onFailure({ ...classifyFailure(error), sent: this.sent });
  }

  private enter(part: keyof StreamLimits): void {
    this.part = part;
    clearTimeout(this.timer);
    this.timer = setTimeout(this.onTime, this.limits[part]);
  }

  private readonly onTime = (): void => {
    if (this.paused) return;
    const seconds = this.limits[this.part] / 1000;
    this.fail({ code: 'timeout', message: `${LATE[this.part]} within ${seconds} s.` });
  };

  private fail(error: EgressError): void {
    if (!this.finish()) return;
    this.controller?.abort(ABANDONED);
    this.sink.onFailure({ ...error, sent: this.sent });
  }

  private finish(): boolean {
    if (this.ended) return false;
    this.ended = true;
    clearTimeout(this.timer);
    return true;
  }
}

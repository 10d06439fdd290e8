import type { Dispatcher } from 'undici';
import type { EgressAnswer, EgressError, EgressRequest } from './egress-request.js';
import { classifyFailure } from './failure.js';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BODY_BYTES = 16_384;

/** Maximum number of informational responses (100, 102, 103) per call. Regular servers send a few at most. */
const MAX_INFORMATIONAL = 32;

const ABANDONED = new Error('The caller no longer waits for this answer.');
const NO_BODY = Buffer.alloc(0);

/**
 * One request and its response. Ends exactly once: with the response (the first 16 KiB), a failure, a timeout, or an
 * abort by the caller. The connection is then closed, so that later data from the other side is dropped.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<EgressAnswer>;
  private settle!: (answer: EgressAnswer) => void;
  private ended = false;
  private sent = false;
  private readonly startedAt = performance.now();
  private readonly timeoutMs: number;
  private readonly maxBodyBytes: number;
  private readonly callersAbort?: AbortSignal;
  private timer: NodeJS.Timeout;
  private controller?: Dispatcher.DispatchController;
  private informational = 0;
  private status?: number;
  private isShown = true;
  private headers: Record<string, string> = {};
  private chunks: Buffer[] = [];
  private size = 0;

  /** @param mayShow whether the response may be shown; called when the response begins */
  constructor(
    { timeoutMs, maxBodyBytes, abort }: Omit<EgressRequest, 'purpose'>,
    private readonly mayShow: () => boolean = () => true,
  ) {
    this.timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.maxBodyBytes = maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
    this.answer = new Promise(resolve => (this.settle = resolve));
    this.timer = setTimeout(this.onTime, this.timeoutMs);
    if (!abort) return;
    this.callersAbort = abort;
    if (abort.aborted) this.abort();
    else abort.addEventListener('abort', this.abort);
  }

  get hasEnded(): boolean {
    return this.ended;
  }

  /** Aborts the call. If the headers have already arrived, the response is kept. */
  readonly abort = (): void => this.breakOff({ code: 'aborted', message: 'The call was aborted by this service.' });

  /** Ends a call that was not sent. */
  fail(thrown: unknown): void {
    this.end(true, classifyFailure(thrown));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The call has already ended. Throwing makes undici drop the request and keep the connection; aborting would close
    // the connection.
    if (this.ended) throw ABANDONED;
    this.sent = true;
    this.controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.ended) return;
    if (status < 200) {
      this.informational += 1;
      if (this.informational > MAX_INFORMATIONAL) {
        this.breakOff({ code: 'protocol', message: 'The endpoint sent informational answers (1xx) without end.' });
      }
      return;
    }
    this.status = status;
    // Determined here, because the connection may be closed later.
    this.isShown = this.mayShow();
    this.headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.ended) return;
    const kept = chunk.subarray(0, this.maxBodyBytes - this.size);
    if (kept.length > 0) {
      // Copies the chunk, because it references a read buffer of up to 64 KiB.
      this.chunks.push(Buffer.from(kept));
      this.size += kept.length;
    }
    if (kept.length < chunk.length) this.breakOff();
  }

  onResponseEnd(): void {
    this.end(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (!this.ended) this.end(true, classifyFailure(error));
  }

  private readonly onTime = (): void => {
    // Timers have a resolution of one millisecond, so they may fire up to one millisecond early.
    const early = this.timeoutMs - (performance.now() - this.startedAt);
    if (early > 0) {
      this.timer = setTimeout(this.onTime, Math.ceil(early));
      return;
    }
    this.breakOff({ code: 'timeout', message: `The endpoint did not answer within ${this.timeoutMs / 1000} s.` });
  };

  private breakOff(error?: EgressError): void {
    this.end(true, error);
    this.controller?.abort(ABANDONED);
  }

  private end(truncated: boolean, error?: EgressError): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.callersAbort?.removeEventListener('abort', this.abort);
    const durationMs = Math.round(performance.now() - this.startedAt);
    const { status, headers, sent } = this;
    const body = this.chunks.length === 1 ? (this.chunks[0] ?? NO_BODY) : Buffer.concat(this.chunks);
    this.chunks = [];
    this.settle(
      status === undefined
        ? { durationMs, headers, body, truncated: false, mayShow: true, sent, ...(error && { error }) }
        : { durationMs, status, headers, body, truncated, mayShow: this.isShown, sent },
    );
  }
}

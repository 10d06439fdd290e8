import type { IncomingHttpHeaders } from 'node:http';
import type { HttpResponse } from '#access';
import { UnavailableError } from '#core';
import type { AnswerSink, EgressClient, StreamControl, StreamFailure, StreamRequest } from '#egress';
import { refusalAnswer, type WireKind } from '#wire';
import { CallerAnswer } from './caller-answer.js';
import { gatewayErrors, GatewayError } from './gateway.errors.js';
import { headersForCaller } from './headers.js';
import type { MeteredCall } from './metered-call.js';

/** Maximum size of an answer that is buffered until its usage is stored. Streams are not buffered. */
const HELD_BYTES = 1024 * 1024;

/** Delay before the second attempt in milliseconds. Each later attempt waits four times as long. */
const FIRST_RETRY_MS = 50;

/** Failures after which a retry may succeed. */
const PASSING = new Set(['connect', 'dns', 'timeout', 'reset']);

const DIED = 'The provider ended its answer before it was complete.';

/** Parameters of an exchange. */
export interface ExchangeParts {
  readonly egress: EgressClient;
  readonly request: StreamRequest;
  readonly retries: number;
  /** Name and wire format of the provider, for errors. */
  readonly provider: { readonly name: string; readonly wire: WireKind };
  readonly response: HttpResponse;
  /** Undefined if the provider does not charge for the call. */
  readonly call?: MeteredCall;
}

/**
 * Forwards one request to a provider, and the provider's answer to the caller. A stream is forwarded chunk by chunk
 * with backpressure. The usage of each chunk is written ahead before the chunk is forwarded. Any other answer is sent
 * completely after its usage is stored.
 */
export class ProviderExchange implements AnswerSink {
  private readonly caller: CallerAnswer;
  private control: StreamControl | undefined;
  private attempts = 0;
  private retryTimer: NodeJS.Timeout | undefined;
  private over = false;
  /** Whether the usage of the call was recorded or its reservation released. */
  private accounted = false;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private isStream = false;
  private finish!: () => void;
  private fail!: (error: Error) => void;

  constructor(private readonly parts: ExchangeParts) {
    this.caller = new CallerAnswer(parts.response, {
      onLeft: () => this.onLeft(),
      onRoom: () => this.control?.resume(),
    });
  }

  /** Resolves when the answer was forwarded or aborted. Rejects with the error if nothing was sent yet. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
      if (!this.caller.open()) return this.onLeft();
      this.parts.call?.begin();
      this.send();
    });
  }

  /** Ends the exchange from this side, for example at a shutdown. */
  stop(): void {
    this.interrupt(gatewayErrors.stopping());
  }

  /** Extends the reservation while the answer continues. */
  async extend(): Promise<void> {
    if (!this.over) await this.parts.call?.extend();
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    const { call, provider } = this.parts;
    if (status < 400 && status >= 300) return this.interrupt(gatewayErrors.redirected());
    // The provider's error about a key is not forwarded, because it may contain the key.
    if (status === 401) return this.interrupt(gatewayErrors.keyRefused(provider.name));
    this.status = status;
    this.headers = headers;
    const contentType = headers['content-type'];
    this.isStream = contentType?.startsWith('text/event-stream') ?? false;
    if (!call || !this.isServed) return this.beginAnswer(this.isStream ? undefined : headers['content-length']);
    call.onHead({ status, contentType });
    if (!this.isStream) return undefined;
    this.beginAnswer();
    // The headers are sent together with the first chunk, or alone if that chunk arrives later.
    setImmediate(() => !this.over && this.caller.flushHead());
    return undefined;
  }

  onData(chunk: Buffer): boolean {
    const { call } = this.parts;
    if (!call || !this.isServed) return this.write([chunk]);
    const pieces = call.push(chunk);
    if (!this.isStream && !this.caller.begun) {
      this.caller.hold(pieces);
      if (this.caller.heldBytes <= HELD_BYTES) return true;
      this.beginAnswer();
      return this.passCovered([], call);
    }
    return this.passCovered(pieces, call);
  }

  onEnd(): void {
    const { call } = this.parts;
    if (!call || !this.isServed) {
      this.release();
      this.caller.end();
      return this.close();
    }
    const summary = call.end();
    this.accounted = true;
    this.caller.hold(summary.rest);
    // Check this before the usage is recorded, because nothing can be written ahead afterwards. A buffered answer waits
    // only until its usage is recorded.
    const ahead = this.isStream || this.caller.begun ? call.isCovered() : undefined;
    const settled = call.settle(summary);
    if (this.isStream && !summary.ended) this.breakOff(gatewayErrors.cut(DIED));
    void this.endOnce(settled, ahead);
  }

  onFailure(failure: StreamFailure): void {
    const mayRetry = !failure.sent && PASSING.has(failure.code) && this.attempts <= this.parts.retries;
    if (mayRetry && !this.over) {
      this.retryTimer = setTimeout(() => this.send(), FIRST_RETRY_MS * 4 ** (this.attempts - 1));
      return;
    }
    if (this.status > 0) this.interrupt(gatewayErrors.cut(DIED));
    else if (failure.code === 'timeout') this.interrupt(gatewayErrors.late(failure.message));
    else this.interrupt(gatewayErrors.unreachable(failure.message));
  }

  private get isServed(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  private send(): void {
    if (this.over) return;
    this.attempts += 1;
    this.control = this.parts.egress.stream(this.parts.request, this);
  }

  /** Forwards chunks after their usage is written ahead. Returns whether the provider may continue to send. */
  private passCovered(pieces: Uint8Array[], call: MeteredCall): boolean {
    const waiting = call.covered();
    if (!waiting) return this.write(pieces);
    this.caller.hold(pieces);
    waiting.then(
      () => !this.over && this.caller.write() && this.control?.resume(),
      (error: unknown) => this.interrupt(error),
    );
    return false;
  }

  /** @param length of the body in bytes, if known */
  private beginAnswer(length?: string): void {
    const headers = headersForCaller(this.headers);
    const id = this.parts.call?.decisionId;
    if (id !== undefined) headers.push('X-Governance-Decision-Id', id);
    if (length !== undefined) headers.push('Content-Length', length);
    this.caller.begin(this.status, headers);
  }

  /** Returns false if the caller reads too slowly. The answer continues after a drain. */
  private write(pieces: readonly Uint8Array[]): boolean {
    return this.over || this.caller.write(pieces);
  }

  /**
   * Ends the answer after its usage is stored. If the usage was written ahead, the answer also ends if storing fails.
   */
  private async endOnce(settled: Promise<boolean>, ahead: Promise<boolean> | undefined): Promise<void> {
    if ((await settled) || (await ahead)) this.complete();
    else this.interrupt(undefined);
  }

  /** Called when the complete answer has arrived and its usage is stored. */
  private complete(): void {
    if (this.over) return;
    if (!this.caller.begun) this.beginAnswer(String(this.caller.heldBytes));
    this.caller.end();
    this.close();
  }

  /** Called if the answer failed. Sends an error if nothing was sent yet; otherwise aborts the connection. */
  private interrupt(cause: unknown): void {
    if (this.over) return;
    this.control?.abort();
    const error = cause instanceof Error ? cause : new UnavailableError('The usage of the call cannot be stored.');
    this.settleWhatPassed();
    if (this.caller.begun) return this.breakOff(error);
    this.fail(error);
    this.close();
  }

  private breakOff(error: Error): void {
    if (this.over) return;
    const { status, code } = error instanceof GatewayError ? error : { status: 502, code: 'interrupted' };
    const event = refusalAnswer(this.parts.provider.wire, { status, code, message: error.message }).body;
    const name = this.parts.provider.wire === 'anthropic' ? 'event: error\n' : '';
    this.caller.breakOff(this.isStream ? `\n\n${name}data: ${event}\n\n` : undefined);
    this.close();
  }

  /**
   * Called if the caller disconnects. Aborts the call to the provider. The forwarded tokens are counted, and also the
   * prompt: the provider has processed it even if the answer has not begun.
   */
  private onLeft(): void {
    if (this.over) return;
    this.control?.abort();
    const mayBeBilled = this.status === 0 ? this.control?.sent === true : this.isServed;
    if (mayBeBilled) this.settleBy(this.parts.call);
    else this.release();
    this.close();
  }

  /** Only a stream is forwarded in parts. If any other answer is incomplete, the caller has received nothing. */
  private settleWhatPassed(): void {
    if (!this.isStream || !this.isServed) return this.release();
    return this.settleBy(this.parts.call);
  }

  private settleBy(call: MeteredCall | undefined): void {
    if (call && !this.accounted) void call.settle(call.end());
    this.accounted = true;
  }

  private release(): void {
    if (!this.accounted) void this.parts.call?.release();
    this.accounted = true;
  }

  private close(): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.retryTimer);
    this.finish();
  }
}

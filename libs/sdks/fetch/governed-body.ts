import type { OpenCall } from '#calls';
import { AnswerReader, usageOfAnswer, type AnswerSummary, type WireRequest, type WireRoute } from '#wire';
import { settled } from '../call/settlement.js';

/** One attempt at a request whose answer has begun. */
export interface Attempt {
  readonly call: OpenCall;
  readonly route: WireRoute;
  readonly request: WireRequest;
  readonly signal: AbortSignal | undefined;
}

/** The provider ended its answer without an error before the answer was complete. */
export class AnswerCutShortError extends Error {
  constructor() {
    super('The provider ended the stream before its answer was complete.');
    this.name = new.target.name;
  }
}

/**
 * The body of an answer. It is forwarded byte by byte while it is read. Usage is written ahead before its bytes are
 * forwarded. The final usage is recorded before the body ends, fails or is canceled.
 */
export function governedBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  head: { readonly status: number; readonly contentType: string | null },
  attempt: Attempt,
): ReadableStream<Uint8Array> {
  const source = body.getReader();
  const answer = new RelayedAnswer(attempt, head);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          // A chunk may contain nothing to forward. The stream would then not request another one, so the loop
          // continues.
          while (!(await answer.passOn(await source.read(), controller)));
        } catch (error) {
          await answer.end();
          controller.error(error);
          await source.cancel(error).catch(() => undefined);
        }
      },
      async cancel(reason) {
        await Promise.all([source.cancel(reason).catch(() => undefined), answer.end()]);
      },
    },
    // With this setting, the provider's body is read only when the caller reads.
    { highWaterMark: 0 },
  );
}

type Chunk = { done: false; value: Uint8Array } | { done: true; value: Uint8Array | undefined };

class RelayedAnswer {
  private readonly reader: AnswerReader;
  private summary: AnswerSummary | undefined;
  private ended: Promise<void> | undefined;
  /** A caller that aborts may never read again. */
  private readonly onAbort = (): void => void this.end();
  private readonly isStream: boolean;

  constructor(
    private readonly attempt: Attempt,
    head: { readonly status: number; readonly contentType: string | null },
  ) {
    const { route, request, signal } = attempt;
    this.reader = new AnswerReader(route, { ...head, hidesUsageChunk: request.hidesUsageChunk });
    this.isStream = head.contentType?.startsWith('text/event-stream') ?? false;
    signal?.addEventListener('abort', this.onAbort, { once: true });
    if (signal?.aborted) this.onAbort();
  }

  /** Forwards a chunk. Returns whether anything was forwarded, or the body has ended. */
  async passOn(chunk: Chunk, controller: ReadableStreamDefaultController<Uint8Array>): Promise<boolean> {
    if (chunk.done) {
      await this.end();
      for (const bytes of this.summary?.rest ?? []) controller.enqueue(bytes);
      if (this.isStream && !this.summary?.ended && !this.summary?.error) throw new AnswerCutShortError();
      controller.close();
      return true;
    }
    const pieces = this.reader.push(chunk.value);
    // Only a stream needs a write-ahead. Any other answer is useful only when it is complete, and its usage is then
    // recorded.
    const covered = this.isStream ? this.attempt.call.cover(this.reader.outputTokens) : undefined;
    if (covered) await covered;
    for (const bytes of pieces) controller.enqueue(bytes);
    return pieces.length > 0;
  }

  /** Records the usage so far. Only the first call has an effect. */
  end(): Promise<void> {
    this.ended ??= this.settle();
    return this.ended;
  }

  private settle(): Promise<void> {
    const { call, request, signal } = this.attempt;
    signal?.removeEventListener('abort', this.onAbort);
    this.summary = this.reader.end();
    return settled(call, usageOfAnswer(request, this.summary));
  }
}

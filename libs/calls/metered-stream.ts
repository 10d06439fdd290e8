import { usageOfAnswer } from './answer-usage.js';
import type { CallUsage, OpenCall } from './call.js';
import { TokenEstimate } from './estimate-tokens.js';

/** What to do with a stream that ends early. */
export const ABORT_CHOICES = ['estimate', 'release'] as const;

/** See {@link ABORT_CHOICES}. */
export type AbortChoice = (typeof ABORT_CHOICES)[number];

/** Options of a metered stream. */
export interface MeterOptions<Chunk> {
  /** Reads the usage in a chunk; the last usage counts. Default: `id`, `model` and `usage` of the chunk. */
  readonly usageOf?: ((chunk: Chunk) => CallUsage | undefined) | undefined;
  /**
   * Reads the text of a chunk. Tokens are estimated from it until the provider reports them. Default: the chunk if it
   * is a text, otherwise one token per chunk.
   */
  readonly textOf?: ((chunk: Chunk) => string | undefined) | undefined;
  /**
   * What happens if the reader stops, the signal aborts, or the source fails: `estimate` records the tokens that were
   * passed on; `release` records nothing. Default: `estimate`.
   */
  readonly onAbort?: AbortChoice | undefined;
  /** Ends the stream early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Forwards the chunks of an answer without buffering, and counts them for an open call. Tokens are written ahead before
 * they are forwarded, so that they count even if the process dies. The usage is recorded before the reader sees the end
 * of the stream.
 */
export function meterStream<Chunk>(
  call: OpenCall,
  chunks: AsyncIterable<Chunk>,
  options: MeterOptions<Chunk> = {},
): AsyncIterableIterator<Chunk> {
  return new MeteredStream(call, chunks, options);
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A class instead of a generator, for two reasons: `return` must work while the source is pending, and a stream that is
 * never read must still be released.
 */
class MeteredStream<Chunk> implements AsyncIterableIterator<Chunk> {
  private readonly source: AsyncIterator<Chunk>;
  private queue: Promise<unknown> = Promise.resolve();
  /** Wakes the step that is waiting for the source. */
  private interrupt: (() => void) | undefined;
  private stopped: 'returned' | 'aborted' | undefined;
  private ended: Promise<void> | undefined;
  private readonly estimate = new TokenEstimate();
  /** Number of tokens that were passed on. */
  private tokens = 0;
  private chunks = 0;
  private usage: CallUsage | undefined;

  constructor(
    private readonly call: OpenCall,
    source: AsyncIterable<Chunk>,
    private readonly options: MeterOptions<Chunk>,
  ) {
    this.source = source[Symbol.asyncIterator]();
    const { signal } = options;
    if (signal?.aborted) this.stop('aborted');
    else signal?.addEventListener('abort', this.abort, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Chunk, undefined>> {
    const step = this.queue.then(() => this.step());
    this.queue = step.catch(() => undefined);
    return step;
  }

  /** Called if the reader stops early. When this resolves, the usage so far is recorded. */
  async return(): Promise<IteratorResult<Chunk, undefined>> {
    this.stop('returned');
    await this.end('early');
    return END;
  }

  /** Called if the reader fails. */
  async throw(error: unknown): Promise<IteratorResult<Chunk, undefined>> {
    await this.return();
    throw error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  private async step(): Promise<IteratorResult<Chunk, undefined>> {
    if (this.stopped) return this.stoppedStep();
    if (this.ended) return END;
    // Starts the first write-ahead while the provider prepares its answer.
    if (this.chunks === 0) this.call.cover(0)?.catch(() => undefined);
    let result: IteratorResult<Chunk, unknown> | undefined;
    try {
      result = await this.pull();
    } catch (error) {
      await this.end('early');
      throw error;
    }
    if (!result) return this.stoppedStep();
    if (result.done) {
      await this.end('whole');
      return END;
    }
    return this.pass(result.value);
  }

  /** The next chunk of the source; undefined if the stream was stopped in the meantime. */
  private pull(): Promise<IteratorResult<Chunk, unknown> | undefined> {
    return new Promise((resolve, reject) => {
      this.interrupt = () => resolve(undefined);
      this.source.next().then(resolve, reject);
    });
  }

  private async pass(chunk: Chunk): Promise<IteratorResult<Chunk, undefined>> {
    const { usageOf = usageOfAnswer, textOf = textOfChunk } = this.options;
    try {
      this.estimate.add(textOf(chunk));
      this.usage = usageOf(chunk) ?? this.usage;
      const covering = this.call.cover(this.estimate.tokens);
      if (covering) await covering;
    } catch (error) {
      this.cutOff();
      await this.end('early');
      throw error;
    }
    // The stream was stopped during the write-ahead, so the chunk is not forwarded.
    if (this.stopped) return this.stoppedStep();
    this.tokens = this.estimate.tokens;
    this.chunks++;
    return { done: false, value: chunk };
  }

  private async stoppedStep(): Promise<IteratorResult<Chunk, undefined>> {
    await this.end('early');
    if (this.stopped === 'aborted') throw reasonOf(this.options.signal);
    return END;
  }

  private readonly abort = (): void => {
    this.stop('aborted');
    // The reader may never call `return`. If it does, it gets the error there.
    this.end('early').catch(() => undefined);
  };

  private stop(how: 'returned' | 'aborted'): void {
    if (this.ended || this.stopped) return;
    this.stopped = how;
    this.cutOff();
    this.interrupt?.();
  }

  /** Closes the source without waiting, because a source that hangs must not block the reader. */
  private cutOff(): void {
    const cut = this.source.return?.();
    if (cut) Promise.resolve(cut).catch(() => undefined);
  }

  private end(how: 'whole' | 'early'): Promise<void> {
    this.ended ??= this.conclude(how);
    return this.ended;
  }

  private conclude(how: 'whole' | 'early'): Promise<void> {
    this.options.signal?.removeEventListener('abort', this.abort);
    const isServed = this.chunks > 0 || how === 'whole';
    if (!isServed || (how === 'early' && this.options.onAbort === 'release')) return this.call.release();
    return this.call.settle(this.usage ?? { output_tokens: this.tokens, estimated: true });
  }
}

function textOfChunk(chunk: unknown): string | undefined {
  return typeof chunk === 'string' ? chunk : undefined;
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('The stream was aborted.', { cause: reason });
}

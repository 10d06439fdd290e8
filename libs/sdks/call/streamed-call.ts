import type { CallUsage, OpenCall } from '#calls';
import { tokensOfBytes, uniqueIdOf } from '#wire';
import { settled } from './settlement.js';

/** The usage of an answer in the AI SDK's format: totals, with cached and reasoning tokens. */
export interface AnswerUsage {
  readonly inputTokens: { readonly total: number; readonly cacheRead?: number; readonly cacheWrite?: number };
  readonly outputTokens: { readonly total: number; readonly reasoning?: number };
}

/** The known data of an answer. */
export interface Answered {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: AnswerUsage | undefined;
}

/** A call whose answer an SDK streams in its own format. Counts the streamed parts, and ends the call once. */
export class StreamedCall {
  private bytes = 0;
  private ended: Promise<void> | undefined;

  constructor(
    private readonly call: OpenCall,
    private readonly estimatedInputTokens: number,
  ) {}

  get hasStreamed(): boolean {
    return this.bytes > 0;
  }

  /** Counts text of the model. If it returns a promise, await it before the text is forwarded. */
  wrote(text: unknown): Promise<void> | undefined {
    if (typeof text !== 'string' || text === '') return undefined;
    this.bytes += Buffer.byteLength(text);
    return this.call.cover(tokensOfBytes(this.bytes));
  }

  /** Records the provider's usage. If the provider reported none, records the streamed tokens. */
  settle({ id, model, usage }: Answered = {}): Promise<void> {
    this.ended ??= settled(this.call, { id: uniqueIdOf(id), model, ...(usage ? { usage } : this.estimate) });
    return this.ended;
  }

  /** Ends a failed call. Records the streamed tokens; if there are none, releases the reservation. */
  fail(answered: Answered = {}): Promise<void> {
    if (this.hasStreamed) return this.settle(answered);
    this.ended ??= this.call.release();
    return this.ended;
  }

  private get estimate(): CallUsage {
    return {
      input_tokens: this.estimatedInputTokens,
      output_tokens: tokensOfBytes(this.bytes),
      estimated: true,
    };
  }
}

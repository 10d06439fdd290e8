import type { CallUsage, OpenCall } from '#calls';
import { tokensOfBytes, uniqueIdOf } from '#wire';
import { settled } from './settlement.js';

/** The usage of an answer in the AI SDK's format: totals, with cached and reasoning tokens. */
export interface AnswerUsage {
  readonly inputTokens: { readonly total: number; readonly cacheRead?: number; readonly cacheWrite?: number };
  readonly outputTokens: { readonly total: number; readonly reasoning?: number };
}

/** The known facts of an answer. */
export interface Answered {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: AnswerUsage | undefined;
}

/** A call whose answer the library hands out in its own chunks. Counts them, and ends the call once. */
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

  /** Counts text of the model. Returns a promise to await before the text is forwarded, or undefined. */
  wrote(text: unknown): Promise<void> | undefined {
    if (typeof text !== 'string' || text === '') return undefined;
    this.bytes += Buffer.byteLength(text);
    return this.call.cover(tokensOfBytes(this.bytes));
  }

  /** Settles with the provider's usage, or with the streamed tokens if it reported none. */
  settle({ id, model, usage }: Answered = {}): Promise<void> {
    this.ended ??= settled(this.call, { id: uniqueIdOf(id), model, ...(usage ? { usage } : this.estimate) });
    return this.ended;
  }

  /** Ends a failed call: settles with the streamed tokens, or releases the reservation if there are none. */
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

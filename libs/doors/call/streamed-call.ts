import type { CallUsage, OpenCall } from '#calls';
import { tokensOfBytes, uniqueIdOf } from '#wire';
import { settled } from './settlement.js';

/** The usage of an answer in the words of the AI SDK: totals, and what of them was cached or thought. */
export interface AnswerUsage {
  readonly inputTokens: { readonly total: number; readonly cacheRead?: number; readonly cacheWrite?: number };
  readonly outputTokens: { readonly total: number; readonly reasoning?: number };
}

/** What an answer came to, as far as it is known. */
export interface Answered {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: AnswerUsage | undefined;
}

/** A call whose answer a library hands out in its own pieces: counts them, and ends the call once. */
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

  /** Counts a text of the model. @returns what to wait for before it is passed on, if anything */
  wrote(text: unknown): Promise<void> | undefined {
    if (typeof text !== 'string' || text === '') return undefined;
    this.bytes += Buffer.byteLength(text);
    return this.call.cover(tokensOfBytes(this.bytes));
  }

  /** Settles by the usage of the provider, or by what was streamed where it reported none. */
  settle({ id, model, usage }: Answered = {}): Promise<void> {
    this.ended ??= settled(this.call, { id: uniqueIdOf(id), model, ...(usage ? { usage } : this.estimate) });
    return this.ended;
  }

  /** The call failed: settles by what was streamed, or gives everything back where that is nothing. */
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

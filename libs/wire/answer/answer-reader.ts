import type { WireRoute } from '../routes.js';
import { AnswerFacts, type WireError } from './answer-facts.js';
import { PlainAnswer } from './plain-answer.js';
import { StreamedAnswer } from './streamed-answer.js';

/** Headers of the provider's answer that determine how to read the body. */
export interface AnswerHead {
  readonly status: number;
  /** Header `content-type`. The body must be passed without `content-encoding`, already decoded. */
  readonly contentType: string | null | undefined;
  /** See `WireRequest.hidesUsageChunk`. */
  readonly hidesUsageChunk: boolean;
}

/** Result of one provider answer. */
export interface AnswerSummary {
  /** The provider's id of the answer. */
  readonly id?: string;
  /** The model that answered, as the provider names it. */
  readonly model?: string;
  /** The tier that served the answer, in the provider's words, if it stands beside the usage object. */
  readonly serviceTier?: string;
  /** The provider's usage object. If the answer broke off, its output tokens may be an estimate. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Output tokens: the provider's figure, or an estimate from what was streamed. */
  readonly outputTokens: number;
  /** Whether any figure is an estimate. */
  readonly estimated: boolean;
  /**
   * Whether the answer was complete: a closing brace, a stop reason, `[DONE]`, `response.completed` or `message_stop`
   * was seen. A stream without one was cut off, even if the body ended without an error.
   */
  readonly ended: boolean;
  /** The provider's error object: the whole answer, or sent in the middle of a stream. */
  readonly error?: WireError;
  /** Bytes that were held back and must still be passed on; empty unless the usage chunk is hidden. */
  readonly rest: readonly Uint8Array[];
}

/**
 * Reads a provider's answer while it is forwarded: plain JSON or server-sent events, in chunks of any size. It keeps at
 * most one event of 64 KiB and a few values, whatever the size of the answer. It never throws: unreadable data is
 * forwarded, and its usage is estimated.
 */
export class AnswerReader {
  private readonly facts = new AnswerFacts();
  private readonly body: PlainAnswer | StreamedAnswer;

  constructor(route: WireRoute, { status, contentType, hidesUsageChunk }: AnswerHead) {
    const isStream = status < 300 && contentType?.trimStart().toLowerCase().startsWith('text/event-stream');
    this.body = isStream
      ? new StreamedAnswer(this.facts, route.operation, hidesUsageChunk)
      : new PlainAnswer(this.facts, route.operation);
  }

  /**
   * Output tokens so far. Estimated as one per four bytes of text, including tool calls and visible reasoning, until
   * the provider reports its own figure. Hidden reasoning is not included in the estimate.
   */
  get outputTokens(): number {
    return this.facts.outputTokens;
  }

  /** Processes the next bytes of the body. @returns the bytes to forward now, which may be parts of the given ones */
  push(bytes: Uint8Array): Uint8Array[] {
    return this.body.push(bytes);
  }

  /** Returns the result of the answer. Call it once, at the end of the body or when it breaks off. */
  end(): AnswerSummary {
    const rest = this.body.end();
    const { id, model, serviceTier, usage, outputTokens, isEstimate, ended, error } = this.facts;
    return {
      ...(id === undefined ? {} : { id }),
      ...(model === undefined ? {} : { model }),
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(usage === undefined ? {} : { usage }),
      ...(error === undefined ? {} : { error }),
      ...{ outputTokens, estimated: isEstimate, ended, rest },
    };
  }
}

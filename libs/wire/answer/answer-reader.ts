import type { WireRoute } from '../routes.js';
import { AnswerFacts, type WireError } from './answer-facts.js';
import { PlainAnswer } from './plain-answer.js';
import { StreamedAnswer } from './streamed-answer.js';

/** Headers of the provider's answer that determine how to read the body. */
export interface AnswerHead {
  readonly status: number;
  /** Header `content-type`. The body must be given decoded: without `content-encoding`. */
  readonly contentType: string | null | undefined;
  /** As `WireRequest.hidesUsageChunk` says. */
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
  /** The provider's own usage object. Where the answer broke off, its output tokens may be an estimate. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Output tokens: the provider's figure, or an estimate from what was streamed. */
  readonly outputTokens: number;
  /** Whether any figure is an estimate. */
  readonly estimated: boolean;
  /**
   * The answer's own end was seen: the closing brace, a reason why the model stopped, `[DONE]`, `response.completed`,
   * `message_stop`. A stream without it is cut short, even where the body ends in order.
   */
  readonly ended: boolean;
  /** The provider's error object: the whole answer, or sent in the middle of a stream. */
  readonly error?: WireError;
  /** Bytes that were held back and must still be passed on; empty unless the usage chunk is hidden. */
  readonly rest: readonly Uint8Array[];
}

/**
 * Reads a provider's answer while it is passed on: plain JSON or server-sent events, in pieces of any size. It keeps at
 * most one event of 64 KiB and the few values that it looks for, whatever the size of the answer. It never throws: what
 * cannot be read is passed on, and its usage is estimated.
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
   * Output tokens so far: about one for every four bytes of text, tool calls and visible reasoning included, until the
   * provider's own figure comes. Reasoning that the provider does not show is not in the estimate.
   */
  get outputTokens(): number {
    return this.facts.outputTokens;
  }

  /** Takes the next bytes of the body. @returns the bytes to pass on now, which may be parts of those given */
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

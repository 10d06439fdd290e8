import type { WireRoute } from '../routes.js';
import { AnswerFacts, type WireError } from './answer-facts.js';
import { PlainAnswer } from './plain-answer.js';
import { StreamedAnswer } from './streamed-answer.js';

/** Headers of the provider's answer that determine how its body is read. */
export interface AnswerHead {
  readonly status: number;
  /** The header `content-type`. Decode a `content-encoding` before you pass the body. */
  readonly contentType: string | null | undefined;
  /** Whether to hide the usage chunk from the client. See `WireRequest.hidesUsageChunk`. */
  readonly hidesUsageChunk: boolean;
}

/** Result of one provider answer. */
export interface AnswerSummary {
  /** The id of the answer, as the provider assigned it. */
  readonly id?: string;
  /** The model that answered, as the provider names it. */
  readonly model?: string;
  /**
   * The tier that served the answer, under the provider's name for it. Present if it stands beside the usage object.
   */
  readonly serviceTier?: string;
  /** The provider's usage object. If the answer broke off, its output tokens may be an estimate. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Number of output tokens: the provider's figure, or an estimate from the forwarded text. */
  readonly outputTokens: number;
  /** Whether at least one figure is an estimate. */
  readonly estimated: boolean;
  /**
   * Whether the answer is complete. It is complete once a closing brace, a stop reason, `[DONE]`, `response.completed`
   * or `message_stop` was read. A stream without such an end was cut off, even if its body ended without an error.
   */
  readonly ended: boolean;
  /** The provider's error object. The provider may send it as the whole answer, or in the middle of a stream. */
  readonly error?: WireError;
  /** Bytes that the reader still holds and that must be forwarded. Empty unless the usage chunk is hidden. */
  readonly rest: readonly Uint8Array[];
}

/**
 * Reads a provider's answer while it is forwarded: plain JSON or server-sent events, in chunks of any size. It keeps at
 * most one event of 64 KiB and a few values, for an answer of any size. It never throws: unreadable data is forwarded,
 * and the usage is estimated.
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
   * Number of output tokens so far. Until the provider reports it, an estimate: one token per four bytes of text,
   * including tool calls and visible reasoning. The estimate does not include hidden reasoning.
   */
  get outputTokens(): number {
    return this.facts.outputTokens;
  }

  /**
   * Processes the next bytes of the body.
   * @returns the bytes to forward now; they may share memory with the given bytes
   */
  push(bytes: Uint8Array): Uint8Array[] {
    return this.body.push(bytes);
  }

  /** Returns the result of the answer. Call this method once, when the body ends or breaks off. */
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

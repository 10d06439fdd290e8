import type { WireRoute } from '../routes.js';

/** Head of the provider's answer, as far as it says how to read the body. */
export interface AnswerHead {
  readonly status: number;
  /** Header `content-type`. The body must be given decoded: without `content-encoding`. */
  readonly contentType: string | undefined;
  /** As {@link WireRequest.hidesUsageChunk} says. */
  readonly hidesUsageChunk: boolean;
}

/** What the provider said went wrong. */
export interface WireError {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
}

/** What one answer of a provider came to. */
export interface AnswerSummary {
  /** The provider's id of the answer. */
  readonly id?: string;
  /** The model that answered, as the provider names it. */
  readonly model?: string;
  /** The provider's own usage object; for a stream, the last or the sum of its parts, as the provider documents it. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Output tokens: the provider's figure, or an estimate from what was streamed. */
  readonly outputTokens: number;
  /** The answer's own end was seen: the closing brace, `[DONE]`, `response.completed`, `message_stop`. */
  readonly ended: boolean;
  /** The provider's error object: of the whole answer, or sent in the middle of a stream. */
  readonly error?: WireError;
  /** Bytes that were held back and are still to be passed on; empty unless the usage chunk is hidden. */
  readonly rest: readonly Uint8Array[];
}

/**
 * Reads a provider's answer while it is passed on: plain JSON or server-sent events, in pieces of any size. Memory stays
 * bounded, whatever the size of the answer.
 */
export class AnswerReader {
  constructor(route: WireRoute, head: AnswerHead) {
    throw new Error(`${route.operation} ${head.status} cannot be read yet`);
  }

  /** Output tokens so far: an estimate by characters until the provider's own figure comes. */
  get outputTokens(): number {
    return 0;
  }

  /** Takes the next bytes of the body. @returns the bytes to pass on now. */
  push(bytes: Uint8Array): Uint8Array[] {
    return [bytes];
  }

  /** What the answer came to. To be called once, at the end of the body or where it broke off. */
  end(): AnswerSummary {
    return { outputTokens: this.outputTokens, ended: false, rest: [] };
  }
}

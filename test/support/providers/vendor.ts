import type { IncomingHttpHeaders } from 'node:http';
import type { JsonRecord } from './json.js';
import type { Script, ScriptedError } from './script.js';

/** A completely received request. */
export interface ProviderRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One event of a stream. */
export interface Frame {
  /** The line `event:`. Events of OpenAI's chat completions have none. */
  event?: string;
  data: string;
  /** Visible tokens in the event. */
  tokens: number;
  /** Output tokens that the event reports before the first visible token. */
  reports?: number;
  /** Whether the event contains the final usage. */
  isUsage?: true;
}

/** The token counts of an answer. */
export interface Generation {
  promptTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** Tokens of text and tool calls in all choices together, without reasoning. */
  visibleTokens: number;
}

/** An answer of a model. */
export interface ModelAnswer {
  /** The id of the answer; undefined if this kind of answer has none. */
  readonly id: string | undefined;
  readonly model: string;
  readonly generation: Generation;
  /** The whole answer as a JSON body. */
  plain(): string;
  /** The answer as a stream, including its last events. */
  frames(): Iterable<Frame>;
  /**
   * The events of an error inside the stream. `isFailed` selects the vendor's other form of the error, if there is one.
   */
  deathFrames(isFailed: boolean): Frame[];
  /** The vendor's usage object for this many visible tokens. */
  usage(visibleTokens: number): JsonRecord;
}

/** The content of a validated request. */
export type Asked =
  | { kind: 'model'; model: string; stream: boolean; body: JsonRecord; answer(script: Script): ModelAnswer }
  | { kind: 'fact'; json: string };

/** Fields of an error object in addition to its message. Each vendor uses only some of them. */
export interface ErrorDetails {
  type?: string;
  code?: string;
  param?: string;
}

/** Thrown by the validation of a request. It is sent as the vendor's error object. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';

  readonly status: number;
  readonly details: ErrorDetails;

  constructor(status: number, message: string, details: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** The API format of one vendor. */
export interface Vendor {
  readonly defaultKey: string;
  /** The API key of the request, which is not checked yet. */
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /** Handles a request. Throws `ProviderError` if the vendor refuses it. */
  check(request: ProviderRequest, context: VendorContext): Asked;
  /** The header with the request's id, and further headers of each answer. */
  readonly requestIdHeader: string;
  readonly headers: Record<string, string>;
  newRequestId(): string;
  /** The JSON body of an error. */
  errorBody(error: ProviderError, requestId: string): string;
  /** The vendor's error for a status that a script names. */
  scriptedError(script: ScriptedError): { error: ProviderError; headers: Record<string, string> };
}

/** The parts of the emulator that a vendor needs. */
export interface VendorContext {
  isKnownKey(key: string): boolean;
  isKnownModel(model: string): boolean;
  readonly models: readonly string[];
}

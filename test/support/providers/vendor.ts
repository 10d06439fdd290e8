import type { IncomingHttpHeaders } from 'node:http';
import type { JsonRecord } from './json.js';
import type { Script, ScriptedError } from './script.js';

/** A request that has arrived in full. */
export interface ProviderRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One event of a stream. */
export interface Frame {
  /** Line `event:`; OpenAI's chat completions have none. */
  event?: string;
  data: string;
  /** Tokens that can be seen in it. */
  tokens: number;
  /** Output tokens that it reports before the first can be seen. */
  reports?: number;
  /** It carries the final usage. */
  isUsage?: true;
}

/** The counted side of an answer. */
export interface Generation {
  promptTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** Text and tool calls, all choices together; without reasoning. */
  visibleTokens: number;
}

/** What a model answers. */
export interface ModelAnswer {
  /** Undefined where answers of this kind have none. */
  readonly id: string | undefined;
  readonly model: string;
  readonly generation: Generation;
  /** The whole answer as a JSON body. */
  plain(): string;
  /** The answer as a stream, its end included. */
  frames(): Iterable<Frame>;
  /** Events of an error inside the stream; `isFailed` asks for the softer form, where the vendor has one. */
  deathFrames(isFailed: boolean): Frame[];
  /** The vendor's usage object with so many visible tokens. */
  usage(visibleTokens: number): JsonRecord;
}

/** What a request asks for, once it passed all checks. */
export type Asked =
  | { kind: 'model'; model: string; stream: boolean; body: JsonRecord; answer(script: Script): ModelAnswer }
  | { kind: 'fact'; json: string };

/** What an error object has beside its message, where the vendor has the field. */
export interface ErrorDetails {
  type?: string;
  code?: string;
  param?: string;
}

/** Thrown while a request is checked; becomes the error object of the vendor. */
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

/** One vendor's side of the wire. */
export interface Vendor {
  readonly defaultKey: string;
  /** The key that the request has come with, without saying whether it is right. */
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /** Throws `ProviderError` where the vendor refuses. */
  check(request: ProviderRequest, context: VendorContext): Asked;
  /** Name of the header that has the request's id, and further headers of each answer. */
  readonly requestIdHeader: string;
  readonly headers: Record<string, string>;
  newRequestId(): string;
  /** The JSON body of an error. */
  errorBody(error: ProviderError, requestId: string): string;
  /** What the vendor sends with a status that a script names. */
  scriptedError(script: ScriptedError): { error: ProviderError; headers: Record<string, string> };
}

/** What a vendor must know of its emulator. */
export interface VendorContext {
  isKnownKey(key: string): boolean;
  isKnownModel(model: string): boolean;
  readonly models: readonly string[];
}

import type { JsonRecord } from './json.js';

/** A tool that the model calls, and the arguments of the call. */
export interface ScriptedTool {
  name: string;
  arguments: JsonRecord;
}

/** An error that the provider returns instead of an answer. */
export interface ScriptedError {
  /**
   * The status: 400, 401, 403, 404, 413, 429, 500, 503, 529 …. The other fields of the error object have the vendor's
   * values.
   */
  status: number;
  message?: string;
  code?: string;
  type?: string;
  /** Further headers, such as `retry-after`. */
  headers?: Record<string, string>;
}

/**
 * How an answer breaks off.
 *
 * - `reset`: TCP reset, once the client had time to read what was sent.
 * - `close`: the connection ends in order (FIN), the body does not.
 * - `end`: the body ends in order, without the stream's own end (`[DONE]`, `message_stop` …).
 * - `error`: the vendor's error inside the stream, then the end of the body. Plain answers: status 500.
 * - `failed`: as `error`; in a stream of `/v1/responses` the event `response.failed`.
 * - `hang`: nothing more comes, and the connection stays open.
 */
export type Death = 'reset' | 'close' | 'end' | 'error' | 'failed' | 'hang';

/** The provider's behavior for one request. Everything has a default: `{}` is a normal answer. */
export interface Script {
  /** Tokens of text that the model generates if the request sets no limit. Default: 12, or none if it calls tools. */
  outputTokens?: number;
  /** All tokens of the prompt, including cached ones. Default: a quarter of the characters of the prompt. */
  promptTokens?: number;
  /** Tokens of the prompt read from the cache. Default: 0. */
  cachedTokens?: number;
  /** Tokens of the prompt written to the cache. Default: 0. */
  cacheWriteTokens?: number;
  /** Reasoning tokens before the text. They count as output. Default: 0. */
  reasoningTokens?: number;
  /** Tools that the model calls after its text. */
  tools?: readonly ScriptedTool[];
  /** Tokens in one event of a stream. Default: 1. */
  tokensPerDelta?: number;
  /** Sizes in bytes of the pieces of a body. They are used in turn, and may split frames and characters. */
  pieces?: readonly number[];
  /** Milliseconds between the events of a stream. Without this field, events are sent as fast as the client reads. */
  delayMs?: number;
  /** Milliseconds before the status line. */
  firstByteMs?: number;
  /** The error that is returned instead of an answer of the model. */
  error?: ScriptedError;
  /**
   * Breaks the answer off. `at`: before the first byte (`request`), after the headers (`headers`), or after this many
   * visible tokens in the stream. A plain answer breaks off in the middle of its body, whatever the number. `when`: the
   * break waits for this promise, for example until the client has read the sent bytes.
   */
  death?: { how: Death; at: 'request' | 'headers' | number; when?: Promise<unknown> };
  /** Half of the next event is sent before the break. */
  midFrame?: boolean;
  /** Answers completely, and then closes the connection although the headers promised to keep it open. */
  dropKeepAlive?: boolean;
  /** Compresses the answer if the client accepts compression. */
  encoding?: 'gzip';
  /** Line ends of the stream. Default: `\n`, as with both vendors. Compatible servers use others. */
  newline?: '\n' | '\r\n' | '\r';
  /** Comment lines between the events, which some compatible servers send to keep the connection open. */
  comments?: boolean;
}

/**
 * The scripts for requests: first those for the next requests, then the default of the model, then the general default.
 */
export class Scripts {
  readonly #once: Script[] = [];
  readonly #ofModel = new Map<string, Script>();
  #standing: Script = {};

  /** Sets the script for all later requests, or only for later requests for one model. */
  behave(script: Script, model?: string): void {
    if (model === undefined) this.#standing = script;
    else this.#ofModel.set(model, script);
  }

  /** Sets one script each for the next requests for a model. They take precedence over `behave`. */
  next(...scripts: readonly Script[]): void {
    this.#once.push(...scripts);
  }

  take(model: string): Script {
    return this.#once.shift() ?? this.#ofModel.get(model) ?? this.#standing;
  }

  /** Whether a test has set a script for the model. Such a model exists. */
  names(model: string): boolean {
    return this.#ofModel.has(model);
  }

  clear(): void {
    this.#once.length = 0;
    this.#ofModel.clear();
    this.#standing = {};
  }
}

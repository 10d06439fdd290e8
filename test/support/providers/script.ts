import type { JsonRecord } from './json.js';

/** A tool that the model calls, with the arguments it gives. */
export interface ScriptedTool {
  name: string;
  arguments: JsonRecord;
}

/** An error that the provider answers with instead of the model. */
export interface ScriptedError {
  /** 400, 401, 403, 404, 413, 429, 500, 503, 529 …; the rest of the error object is what the vendor sends with it. */
  status: number;
  message?: string;
  code?: string;
  type?: string;
  /** Further headers, `retry-after` for example. */
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

/** What the provider does with one request. Everything has a default, so that `{}` is an ordinary answer. */
export interface Script {
  /** Tokens of text that the model would like to write. Default: 12, or none where it calls tools. */
  outputTokens?: number;
  /** All tokens of the prompt, cached ones included. Default: a quarter of the characters of the prompt. */
  promptTokens?: number;
  /** Of the prompt, read from the cache. Default: 0. */
  cachedTokens?: number;
  /** Of the prompt, written to the cache. Default: 0. */
  cacheWriteTokens?: number;
  /** Tokens that the model thinks before it writes; they count as output. Default: 0. */
  reasoningTokens?: number;
  /** Tools that the model calls after its text. */
  tools?: readonly ScriptedTool[];
  /** Tokens in one event of a stream. Default: 1. */
  tokensPerDelta?: number;
  /** Sizes in bytes, used in turn, of the pieces that a body is written in. They split frames and characters. */
  pieces?: readonly number[];
  /** Milliseconds between the events of a stream. Without it, events leave as fast as the client reads. */
  delayMs?: number;
  /** Milliseconds before the status line. */
  firstByteMs?: number;
  /** Answers with an error, and serves nothing. */
  error?: ScriptedError;
  /**
   * Breaks off. `at`: before any byte of the answer (`request`), after its headers (`headers`), or after so many
   * tokens that can be seen in the stream. A plain answer breaks off in the middle of its body, whatever the number.
   * `when`: not before this is settled, such as that the client has read what was sent.
   */
  death?: { how: Death; at: 'request' | 'headers' | number; when?: Promise<unknown> };
  /** Half of the next event is sent before the death. */
  midFrame?: boolean;
  /** Answers in full, then ends the connection that it had promised to keep. */
  dropKeepAlive?: boolean;
  /** Compresses the answer if the client accepts that. */
  encoding?: 'gzip';
  /** How lines of the stream end. Default: `\n`, as both vendors have it; compatible servers use others. */
  newline?: '\n' | '\r\n' | '\r';
  /** Comment lines between the events, as some compatible servers send to keep the connection alive. */
  comments?: boolean;
}

/** What requests get: scripts to be used once, then the standing one of the model, then the standing one of all. */
export class Scripts {
  readonly #once: Script[] = [];
  readonly #ofModel = new Map<string, Script>();
  #standing: Script = {};

  /** Applies to all requests from now on, or to those for one model. */
  behave(script: Script, model?: string): void {
    if (model === undefined) this.#standing = script;
    else this.#ofModel.set(model, script);
  }

  /** One script each for the next requests to a model. They come before `behave`. */
  next(...scripts: readonly Script[]): void {
    this.#once.push(...scripts);
  }

  take(model: string): Script {
    return this.#once.shift() ?? this.#ofModel.get(model) ?? this.#standing;
  }

  /** Whether a test speaks of the model by name, and it therefore exists. */
  names(model: string): boolean {
    return this.#ofModel.has(model);
  }

  clear(): void {
    this.#once.length = 0;
    this.#ofModel.clear();
    this.#standing = {};
  }
}

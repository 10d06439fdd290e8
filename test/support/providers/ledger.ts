import type { IncomingHttpHeaders } from 'node:http';

/**
 * The outcome of a request. `finished`: answered completely. `refused`: answered with an error. `cut`: the client
 * disconnected before the end. `died`: the script broke it off.
 */
export type Outcome = 'open' | 'finished' | 'refused' | 'cut' | 'died';

/** One request in the provider's ledger. */
export interface ServedCall {
  /** `x-request-id` (OpenAI) or `request-id` (Anthropic) of the answer. */
  readonly requestId: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The key of the request. */
  readonly key: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; undefined if the provider does not store bodies. */
  body: unknown;
  /** The model name in the request. */
  model: string | undefined;
  /** The model name in the answer: the full version of an alias. */
  answeredModel: string | undefined;
  /** `chatcmpl-…`, `resp_…` or `msg_…`; undefined for embeddings. */
  answerId: string | undefined;
  stream: boolean;
  /** 0 until the status line is sent. */
  status: number;
  /** All tokens of the prompt, cached ones included. 0 if the request has no model. */
  promptTokens: number;
  /** The part read from the cache, and the part written to it. */
  cachedTokens: number;
  cacheWriteTokens: number;
  /** All tokens that the model generated and the provider bills, up to the end of the answer or its break. */
  outputTokens: number;
  /** The part written to the connection: tokens of text or of tool calls. */
  sentTokens: number;
  /** The vendor's usage object: the reported one, or at a break the one that would have been reported. */
  usage: unknown;
  /** Whether the final usage was sent to the client. */
  usageSent: boolean;
  outcome: Outcome;
}

/** Sums over all requests since the start or the last `clear()`. */
export interface ServedTotals {
  requests: number;
  /** Answered completely, by a model or with data such as the list of models. */
  finished: number;
  refused: number;
  cut: number;
  died: number;
  /** Sums over answers by a model, whatever their outcome. */
  promptTokens: number;
  outputTokens: number;
}

/** Records the requests of a provider. */
export class Ledger {
  readonly calls: ServedCall[] = [];
  totals: ServedTotals = none();
  #open = 0;
  readonly #waiting = new Set<() => void>();

  readonly #keep: boolean;

  /** `keep`: whether `calls` is filled. The totals are always counted. */
  constructor(keep: boolean) {
    this.#keep = keep;
  }

  /** Requests whose answer has not ended. */
  get open(): number {
    return this.#open;
  }

  begin(call: ServedCall): void {
    this.totals.requests += 1;
    this.#open += 1;
    if (this.#keep) this.calls.push(call);
  }

  /** Only the first outcome counts. */
  end(call: ServedCall, outcome: Exclude<Outcome, 'open'>): void {
    if (call.outcome !== 'open') return;
    call.outcome = outcome;
    this.totals[outcome] += 1;
    this.totals.promptTokens += call.promptTokens;
    this.totals.outputTokens += call.outputTokens;
    this.#open -= 1;
    for (const check of this.#waiting) check();
  }

  changed(): void {
    for (const check of this.#waiting) check();
  }

  /** Resolves when the condition is true. Rejects after the time, with the current state as one line. */
  async until(condition: () => boolean, withinMs: number): Promise<void> {
    if (condition()) return;
    await new Promise<void>((done, fail) => {
      const check = (): void => {
        if (!condition()) return;
        finish();
        done();
      };
      const timer = setTimeout(() => {
        finish();
        const { requests, finished, cut } = this.totals;
        const state = `${requests} requests, ${finished} finished, ${cut} cut, ${this.#open} open`;
        fail(new Error(`not reached within ${withinMs} ms: ${state}`));
      }, withinMs);
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
      };
      this.#waiting.add(check);
    });
  }

  /** Removes ended requests. Open requests are counted when they end. */
  clear(): void {
    this.calls.length = 0;
    this.totals = none();
  }
}

function none(): ServedTotals {
  return { requests: 0, finished: 0, refused: 0, cut: 0, died: 0, promptTokens: 0, outputTokens: 0 };
}

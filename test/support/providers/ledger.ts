import type { IncomingHttpHeaders } from 'node:http';

/**
 * The outcome of a request. `finished`: answered completely. `refused`: answered with an error. `cut`: the client
 * disconnected before the end. `died`: the script broke the answer off.
 */
export type Outcome = 'open' | 'finished' | 'refused' | 'cut' | 'died';

/** One request in the provider's ledger. */
export interface ServedCall {
  /** The header `x-request-id` (OpenAI) or `request-id` (Anthropic) of the answer. */
  readonly requestId: string;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The API key of the request. */
  readonly key: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; undefined if the provider does not store bodies. */
  body: unknown;
  /** The model name in the request. */
  model: string | undefined;
  /** The model name in the answer. For an alias, it is the full model version. */
  answeredModel: string | undefined;
  /** The id of the answer: `chatcmpl-…`, `resp_…` or `msg_…`. Undefined for embeddings. */
  answerId: string | undefined;
  stream: boolean;
  /** The status; 0 until the status line is sent. */
  status: number;
  /** All tokens of the prompt, including cached ones. 0 if the request has no model. */
  promptTokens: number;
  /** The prompt's tokens that were read from the cache, and those that were written to it. */
  cachedTokens: number;
  cacheWriteTokens: number;
  /** All tokens that the model generated and the provider bills, up to the end of the answer or its break. */
  outputTokens: number;
  /** The generated tokens of text or of tool calls that were written to the connection. */
  sentTokens: number;
  /** The vendor's usage object. If the answer broke off, it is the one that the vendor would have reported. */
  usage: unknown;
  /** Whether the final usage was sent to the client. */
  usageSent: boolean;
  outcome: Outcome;
}

/** Sums over all requests since the start or the last `clear()`. */
export interface ServedTotals {
  requests: number;
  /** Complete answers, by a model or with data such as the list of models. */
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

  /** `keep`: whether requests are stored in `calls`. The totals always count. */
  constructor(keep: boolean) {
    this.#keep = keep;
  }

  /** Number of requests whose answer has not ended. */
  get open(): number {
    return this.#open;
  }

  begin(call: ServedCall): void {
    this.totals.requests += 1;
    this.#open += 1;
    if (this.#keep) this.calls.push(call);
  }

  /** Ends a request. Only the first outcome of a request counts. */
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

  /** Resolves when the condition is true. Rejects after the time limit, with the current state as one line. */
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

  /** Removes ended requests. Open requests stay, and count when they end. */
  clear(): void {
    this.calls.length = 0;
    this.totals = none();
  }
}

function none(): ServedTotals {
  return { requests: 0, finished: 0, refused: 0, cut: 0, died: 0, promptTokens: 0, outputTokens: 0 };
}

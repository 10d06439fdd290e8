import type { IncomingHttpHeaders } from 'node:http';

/**
 * What became of a request. `finished`: answered in full. `refused`: answered with an error. `cut`: the client went
 * away before the end. `died`: the script broke it off.
 */
export type Outcome = 'open' | 'finished' | 'refused' | 'cut' | 'died';

/** One request, as the provider saw it. */
export interface ServedCall {
  /** `x-request-id` (OpenAI) or `request-id` (Anthropic) of the answer. */
  readonly requestId: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The key that the request came with. */
  readonly key: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; undefined where the provider keeps no bodies. */
  body: unknown;
  /** As the request has it. */
  model: string | undefined;
  /** As the answer has it: the version that the name stands for. */
  answeredModel: string | undefined;
  /** `chatcmpl-…`, `resp_…`, `msg_…`; embeddings have none. */
  answerId: string | undefined;
  stream: boolean;
  /** 0 until the status line was sent. */
  status: number;
  /** All of the prompt, cached tokens included. 0 where no model was asked. */
  promptTokens: number;
  /** Of these, read from the cache, and written to it. */
  cachedTokens: number;
  cacheWriteTokens: number;
  /** What the model produced and the provider bills: everything up to the end, the cut or the death. */
  outputTokens: number;
  /** Of these, tokens of text or of tool calls that were written to the connection. */
  sentTokens: number;
  /** The vendor's usage object: the one that was reported, or that would have been at the cut. */
  usage: unknown;
  /** Whether the client was sent the final usage. */
  usageSent: boolean;
  outcome: Outcome;
}

/** Sums over all requests since the start or the last `clear()`. */
export interface ServedTotals {
  requests: number;
  /** Answered in full, by a model or with a fact such as the list of models. */
  finished: number;
  refused: number;
  cut: number;
  died: number;
  /** Of answers by a model, whatever their outcome. */
  promptTokens: number;
  outputTokens: number;
}

/** Keeps the books of a provider. */
export class Ledger {
  readonly calls: ServedCall[] = [];
  totals: ServedTotals = none();
  #open = 0;
  readonly #waiting = new Set<() => void>();

  readonly #keep: boolean;

  /** `keep`: whether `calls` is filled; the totals are kept anyhow. */
  constructor(keep: boolean) {
    this.#keep = keep;
  }

  /** Requests whose answer has not ended yet. */
  get open(): number {
    return this.#open;
  }

  begin(call: ServedCall): void {
    this.totals.requests += 1;
    this.#open += 1;
    if (this.#keep) this.calls.push(call);
  }

  /** The first outcome stands. */
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

  /** Resolves once the condition holds; rejects after the time, with a line that says how things stand. */
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

  /** Forgets what has ended. Requests that are open are counted when they end. */
  clear(): void {
    this.calls.length = 0;
    this.totals = none();
  }
}

function none(): ServedTotals {
  return { requests: 0, finished: 0, refused: 0, cut: 0, died: 0, promptTokens: 0, outputTokens: 0 };
}

import { BadRequestError } from '#core';
import {
  readWireRequest,
  refusalAnswer,
  usageOfAnswer,
  wireRouteAtEnd,
  type AnswerSummary,
  type WireKind,
  type WireRequest,
  type WireRoute,
} from '#wire';
import { openCall, type Caller, type CallSource, type SdkOptions } from '../call/caller.js';
import { settled } from '../call/settlement.js';
import { governedBody } from './governed-body.js';
import { refusalOf } from './refusal-of.js';

/** Data about the next request, with which the host determines the caller. */
export interface FetchContext {
  readonly url: URL;
  readonly model: string;
  /** Whether the request is for a stream. */
  readonly stream: boolean;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
}

/** Returns the caller of a request. */
export type CallerOfFetch = (context: FetchContext) => Caller | Promise<Caller>;

/** Options of a governed `fetch`. */
export interface GovernedFetchOptions extends SdkOptions {
  /** The function that sends the requests. Default: the global `fetch` at the time of the request. */
  readonly fetch?: typeof fetch;
  /**
   * How requests are handled that cannot be governed, such as images, files and batches. `refuse` responds with 403;
   * `pass` forwards them without a decision and without counting. Default: `refuse`.
   */
  readonly otherRequests?: 'refuse' | 'pass';
}

/** Creates the `fetch` for SDKs of one wire format. */
export function governedFetchOf(
  kind: WireKind,
  calls: CallSource,
  callerOf: CallerOfFetch,
  options: GovernedFetchOptions,
): typeof fetch {
  const wrapper = new GovernedFetch(kind, calls, callerOf, options);
  return (input, init) => wrapper.fetch(input, init);
}

/** The summary if no part of an answer arrived. */
const NOTHING: AnswerSummary = { outputTokens: 0, estimated: true, ended: false, rest: [] };

class GovernedFetch {
  constructor(
    private readonly kind: WireKind,
    private readonly calls: CallSource,
    private readonly callerOf: CallerOfFetch,
    private readonly options: GovernedFetchOptions,
  ) {}

  async fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const request = input instanceof Request ? input : undefined;
    const url = new URL(input instanceof Request ? input.url : input);
    const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
    const route = wireRouteAtEnd(this.kind, method, url.pathname);
    if (route && !route.metered) return this.send(input, init);
    if (!route) return this.options.otherRequests === 'pass' ? this.send(input, init) : this.ungoverned(method, url);
    const signal = init.signal ?? request?.signal ?? undefined;
    try {
      const text = typeof init.body === 'string' ? init.body : await new Request(input, init).text();
      const asked = readWireRequest(route, parsed(text));
      const headers = new Headers(init.headers ?? request?.headers);
      const body = asked.changed ? JSON.stringify(asked.body) : text;
      const sent = { ...init, method, headers, body, signal: signal ?? null };
      // The body may have changed, and `fetch` computes the new length.
      headers.delete('content-length');
      return await this.attempt(route, asked, url, sent, signal);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      return this.refused(refusal);
    }
  }

  /** Makes one attempt. If the SDK retries, that is another attempt with its own decision. */
  private async attempt(
    route: WireRoute,
    request: WireRequest,
    url: URL,
    init: RequestInit & { headers: Headers },
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const { model, stream, estimatedInputTokens, maxOutputTokens, serviceTier } = request;
    signal?.throwIfAborted();
    const caller = await this.callerOf({ url, model, stream, headers: new Headers(init.headers), signal });
    const asked = { model, provider: this.kind, estimatedInputTokens, maxOutputTokens, serviceTier };
    const call = await openCall(this.calls, caller, asked, this.options);
    let response: Response;
    let isSent = false;
    try {
      signal?.throwIfAborted();
      isSent = true;
      // Starts the first write-ahead of a stream while the provider works. If it fails, the next call of `cover`
      // rejects.
      if (stream) call.cover(0)?.catch(() => undefined);
      response = await this.send(url.href, init);
    } catch (error) {
      // No part of an answer arrived, for example because the connection was refused or timed out. If the caller
      // aborted after the request was sent, the provider has read the prompt, so its usage is recorded.
      if (signal?.aborted && isSent) await settled(call, usageOfAnswer(request, NOTHING));
      else await call.release();
      throw error;
    }
    const { ok, body, status, statusText } = response;
    if (!ok || !body) {
      await call.release();
      return response;
    }
    const headers = new Headers(response.headers);
    // `fetch` has already decoded the body, and the usage chunk may have been removed from it.
    headers.delete('content-encoding');
    headers.delete('content-length');
    if (call.decision) headers.set('x-governance-decision-id', call.decision.id);
    const head = { status, contentType: headers.get('content-type') };
    return new Response(governedBody(body, head, { call, route, request, signal }), { status, statusText, headers });
  }

  private send(input: string | URL | Request, init: RequestInit): Promise<Response> {
    return (this.options.fetch ?? globalThis.fetch)(input, init);
  }

  private ungoverned(method: string, { pathname }: URL): Response {
    const message =
      `${method} ${pathname} cannot be governed. Use another client for it, ` +
      "or let it pass with the option otherRequests: 'pass'.";
    return this.refused({ status: 403, code: 'not_governed', message });
  }

  private refused(refusal: Parameters<typeof refusalAnswer>[1]): Response {
    const { status, headers, body } = refusalAnswer(this.kind, refusal);
    return new Response(body, { status, headers });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequestError('The body is not valid JSON.');
  }
}

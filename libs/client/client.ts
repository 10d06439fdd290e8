import { errorOf } from './api.errors.js';
import { OPERATIONS, type Operations } from './operations.js';
import { parseOperation, prepare, type Operation } from './request.js';
import { mayRetry, wait } from './retry.js';

/** How a client reaches the service. */
export interface ClientOptions {
  /** Where the service is, with the prefix of a host that has one: `https://governance.example.com`. */
  readonly baseUrl: string;
  /** An access token, or a function that gives one; it is asked before each try, so that it may renew it. */
  readonly token?: string | (() => string | Promise<string>);
  /** How often a request is tried again after 429 or 503, where that is safe. Default: 2. */
  readonly retries?: number;
  /** Longest wait before another try, in milliseconds; where the service asks for more, the error is thrown. Default: 30,000. */
  readonly maxRetryWaitMs?: number;
  /** Another `fetch`. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What may be said of one request. */
export interface RequestOptions {
  /** Ends the request, and a wait for its next try. */
  readonly signal?: AbortSignal;
  /** Further headers; they win over the client's own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an operation takes: its parameters side by side, and its body as `body`. */
export type Input<Name extends keyof Operations> = Operations[Name]['input'];

/** What an operation answers. */
export type Answer<Name extends keyof Operations> = Operations[Name]['answer'];

/** An operation as a method: `client.getPolicy({ id })`. */
export type Method<Of extends { input: object; answer: unknown }> =
  Partial<Of['input']> extends Of['input']
    ? (input?: Of['input'], options?: RequestOptions) => Promise<Of['answer']>
    : (input: Of['input'], options?: RequestOptions) => Promise<Of['answer']>;

/** One method for each operation of the API. */
export type Client = { readonly [Name in keyof Operations]: Method<Operations[Name]> };

const RETRIES = 2;
const MAX_RETRY_WAIT_MS = 30_000;

/**
 * A client of the HTTP API. It needs nothing but `fetch`: it runs in Node, browsers and edge runtimes.
 * Its methods throw `ApiError` where the service answers with an error, and what `fetch` throws where it cannot be reached.
 */
export function createClient(options: ClientOptions): Client {
  const methods = Object.entries(OPERATIONS).map(([name, entry]) => {
    const operation = parseOperation(name, entry);
    return [name, (input: object = {}, each: RequestOptions = {}) => send(options, operation, { ...input }, each)];
  });
  // The table has exactly the operations of the type: it is generated with it, and the compiler compares their names.
  return Object.fromEntries(methods) as Client;
}

async function send(
  options: ClientOptions,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  { signal, headers: further }: RequestOptions,
): Promise<unknown> {
  const { path, headers, body } = prepare(operation, input);
  const { fetch = globalThis.fetch, retries = RETRIES, maxRetryWaitMs = MAX_RETRY_WAIT_MS } = options;
  for (let tries = 0; ; tries += 1) {
    const token = typeof options.token === 'function' ? await options.token() : options.token;
    const response = await fetch(options.baseUrl.replace(/\/+$/, '') + path, {
      method: operation.method,
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...further },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
    if (response.ok) return contentOf(response);
    const error = await errorOf(operation.name, response);
    const waitMs = error.retryAfterMs ?? 0;
    if (tries >= retries || waitMs > maxRetryWaitMs || !mayRetry(operation, input['body'], error)) throw error;
    await wait(waitMs, signal);
  }
}

/** JSON as its value, text as text, events as the answer that streams them, and anything else as bytes. */
async function contentOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
  if (/[/+]json$/.test(type)) return response.json();
  if (type === 'text/event-stream') return response;
  if (/^text\/|ndjson|pem/.test(type)) return response.text();
  return new Uint8Array(await response.arrayBuffer());
}

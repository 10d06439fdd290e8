import { errorOf } from './api.errors.js';
import { OPERATIONS, type Operations } from './operations.js';
import { parseOperation, prepare, type Operation } from './request.js';
import { mayRetry, wait } from './retry.js';

/** Settings of a client. */
export interface ClientOptions {
  /** Address of the service: `https://governance.example.com`. Includes the prefix of a host if there is one. */
  readonly baseUrl: string;
  /**
   * An access token, or a function that returns one. The function is called before each attempt, so that it can renew
   * the token.
   */
  readonly token?: string | (() => string | Promise<string>);
  /** Maximum number of retries after 429 or 503. Only requests that are safe to repeat are retried. Default: 2. */
  readonly retries?: number;
  /**
   * Maximum delay before a retry, in milliseconds. If the service requests a longer delay, the error is thrown.
   * Default: 30,000.
   */
  readonly maxRetryWaitMs?: number;
  /** Replacement for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Options of one request. */
export interface RequestOptions {
  /** Aborts the request and the delay before a retry. */
  readonly signal?: AbortSignal;
  /** Further headers. They override the client's own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The input of an operation: its parameters in one object, and its body as `body`. */
export type Input<Name extends keyof Operations> = Operations[Name]['input'];

/** The result of an operation. */
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
 * A client of the HTTP API. It needs only `fetch`: it runs in Node, browsers and edge runtimes. Its methods throw
 * `ApiError` if the service answers with an error, and the error of `fetch` if the service cannot be reached.
 */
export function createClient(options: ClientOptions): Client {
  const methods = Object.entries(OPERATIONS).map(([name, entry]) => {
    const operation = parseOperation(name, entry);
    return [name, (input: object = {}, each: RequestOptions = {}) => send(options, operation, { ...input }, each)];
  });
  // The table has exactly the operations of the type. Both are generated together, and the compiler compares their
  // names.
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

/**
 * The content of a response: JSON is parsed, text is returned as text, events as the streamed response, and anything
 * else as bytes.
 */
async function contentOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
  if (/[/+]json$/.test(type)) return response.json();
  if (type === 'text/event-stream') return response;
  if (/^text\/|ndjson|pem/.test(type)) return response.text();
  return new Uint8Array(await response.arrayBuffer());
}

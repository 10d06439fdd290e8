import type { Json } from '#core';

/** One request of an adapter. */
export interface AdapterRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Absolute, `https:`, at one of the adapter's origins. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Any JSON: an object, a list. Sent as `application/json`, or as the `content-type` that `headers` hold. */
  readonly json?: Json;
  /** Sent as `application/x-www-form-urlencoded`, in place of `json`. */
  readonly form?: Readonly<Record<string, string>>;
  /** From the resolution of the name to the end of the answer, in milliseconds. Default: 10,000; at most 15,000. */
  readonly timeoutMs?: number;
}

/** What a platform answered. Redirects are answers, too: they are never followed. */
export interface AdapterResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whole; a longer answer than 1 MiB is a failure of phase `sent`. */
  readonly body: Buffer;
  /** The body as JSON; undefined where it is none, whatever the headers say. */
  json(): Json | undefined;
}

/**
 * The HTTP client of adapters, and their only network access: vetted addresses, verified certificates, no redirects,
 * limited size and time.
 */
export abstract class AdapterHttp {
  /** @throws AdapterHttpError if no complete answer arrived */
  abstract request(request: AdapterRequest): Promise<AdapterResponse>;
}

/** No complete answer arrived. The message is a sentence for the operator, without headers, query or secrets. */
export class AdapterHttpError extends Error {
  constructor(
    /** `not_sent`: the platform certainly did not receive the request. `sent`: it may have processed the request. */
    readonly phase: 'not_sent' | 'sent',
    message: string,
  ) {
    super(message);
    this.name = 'AdapterHttpError';
  }
}

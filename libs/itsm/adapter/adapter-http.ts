import type { Json } from '#core';

/** One request of an adapter. */
export interface AdapterRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Absolute, `https:`, at one of the adapter's origins. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value as body. Sent as `application/json`, or with the `content-type` in `headers`. */
  readonly json?: Json;
  /** A form as body. Sent as `application/x-www-form-urlencoded`. Do not combine it with `json`. */
  readonly form?: Readonly<Record<string, string>>;
  /** Timeout in milliseconds, from the DNS query to the end of the answer. Default: 10,000; maximum: 15,000. */
  readonly timeoutMs?: number;
}

/** A platform's answer. Redirects are returned as they are and never followed. */
export interface AdapterResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body. If an answer exceeds 1 MiB, the request fails with phase `sent`. */
  readonly body: Buffer;
  /** The body parsed as JSON; undefined if it is not JSON. Ignores the content type. */
  json(): Json | undefined;
}

/**
 * The HTTP client of adapters, which is their only access to the network. It connects only to permitted addresses,
 * verifies certificates, follows no redirects, and limits size and time.
 */
export abstract class AdapterHttp {
  /** @throws AdapterHttpError if no complete answer arrived */
  abstract request(request: AdapterRequest): Promise<AdapterResponse>;
}

/** No complete answer arrived. The message is a sentence for the operator. It contains no headers, query or secrets. */
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

import type { Json } from '#core';
import { AdapterHttp, AdapterHttpError, type AdapterRequest, type AdapterResponse } from '#itsm';

/** An answer of the platform in a test. Without `json` and `text`, the body is empty. */
export interface PlatformAnswer {
  readonly status: number;
  /** The headers of the answer. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `application/json`. */
  readonly json?: Json;
  /** Sent as `text/html` unless the headers say otherwise. */
  readonly text?: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Answers to a write with a success status and an unreadable body. */
export const UNREADABLE: readonly PlatformAnswer[] = [
  { status: 200, headers: JSON_TYPE, text: '{"id": "1", "na' },
  { status: 201, headers: JSON_TYPE, text: '{"id": "1", "na' },
  { status: 200 },
  { status: 201, json: { error: { message: 'Transaction cancelled', detail: null } } },
];

/** Converts an answer to the form that an adapter gets. */
export function responseOf({ status, headers, json, text }: PlatformAnswer): AdapterResponse {
  const body = Buffer.from(json === undefined ? (text ?? '') : JSON.stringify(json));
  const type = json === undefined ? 'text/html; charset=utf-8' : 'application/json';
  return {
    status,
    headers: { ...(body.length > 0 && { 'content-type': type }), ...headers },
    body,
    json: () => {
      try {
        // A value that JSON.parse returns is always valid JSON.
        return JSON.parse(body.toString()) as Json;
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * A platform as a function, for tests of an adapter without a network. It enforces the rules of the real client: only
 * `https:` at the given origins, and at most 15 seconds per request. The function may throw an {@link AdapterHttpError}
 * to simulate a missing answer.
 */
export class ScriptedAdapterHttp extends AdapterHttp {
  /** All requests, in order. */
  readonly requests: AdapterRequest[] = [];

  constructor(
    private readonly origins: readonly string[],
    private readonly answer: (request: AdapterRequest) => PlatformAnswer | Promise<PlatformAnswer>,
  ) {
    super();
  }

  override async request(request: AdapterRequest): Promise<AdapterResponse> {
    const url = URL.parse(request.url);
    if (url?.protocol !== 'https:' || !this.origins.includes(url.origin)) {
      throw new AdapterHttpError('not_sent', 'The request leads to a place that is none of the adapter’s origins.');
    }
    if ((request.timeoutMs ?? 0) > 15_000) throw new RangeError('A request of an adapter takes at most 15 seconds.');
    this.requests.push(request);
    return responseOf(await this.answer(request));
  }
}

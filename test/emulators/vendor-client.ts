import type { Json } from '#core';
import type { EgressClient, EgressRequest } from '#egress';

/** A request to an emulator. Without `json` and `text`, the request has no body. */
export interface VendorRequest {
  /** The method. Default: GET, or POST if there is a body. */
  readonly method?: EgressRequest['method'];
  /** Sent as `application/json`, unless the headers say otherwise. */
  readonly json?: unknown;
  readonly text?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A parsed answer of an emulator. */
export interface VendorAnswer {
  /** Undefined if no answer came. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: Json | undefined;
}

/** Sends one request over the network, without an adapter. Redirects are not followed. */
export async function ask(egress: EgressClient, url: string, request: VendorRequest = {}): Promise<VendorAnswer> {
  const content = request.json === undefined ? request.text : JSON.stringify(request.json);
  const { status, headers, body } = await egress.send({
    purpose: 'tickets',
    url,
    method: request.method ?? (content === undefined ? 'GET' : 'POST'),
    headers: {
      accept: 'application/json',
      ...(request.json !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(content !== undefined && { body: Buffer.from(content) }),
    maxBodyBytes: 1_048_576,
  });
  const text = body.toString('utf8');
  return { status, headers, text, json: jsonIn(text) };
}

function jsonIn(text: string): Json | undefined {
  try {
    // The cast is safe, because JSON.parse returns only JSON values.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

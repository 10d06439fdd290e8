import type { Json } from '#core';
import type { EgressClient } from '#egress';
import { AdapterHttp, AdapterHttpError, type AdapterRequest, type AdapterResponse } from '../adapter/adapter-http.js';

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 15_000;
const MAX_BODY_BYTES = 1024 * 1024;

/** Some platforms reject requests without a User-Agent. */
const USER_AGENT = 'nest-llm-governance';

/**
 * HTTP client of one connector. It sends requests only to the connector's origins, through the shared egress client.
 */
export class EgressAdapterHttp extends AdapterHttp {
  constructor(
    private readonly egress: EgressClient,
    /** The adapter's origins for the connector's settings. */
    private readonly origins: readonly string[],
    private readonly maxTimeoutMs = MAX_TIMEOUT_MS,
    private readonly purpose: 'tickets' | 'chat' = 'tickets',
  ) {
    super();
  }

  override async request(request: AdapterRequest): Promise<AdapterResponse> {
    const { method, url, timeoutMs } = request;
    if (!this.isAllowed(url)) {
      throw new AdapterHttpError('not_sent', 'The adapter called an address outside its origins.');
    }
    const {
      status,
      headers: answered,
      body,
      truncated,
      error,
      sent,
    } = await this.egress.send({
      ...{ purpose: this.purpose, url, method, maxBodyBytes: MAX_BODY_BYTES },
      headers: { 'user-agent': USER_AGENT, ...typeOf(request), ...lowered(request.headers) },
      timeoutMs: Math.min(timeoutMs ?? DEFAULT_TIMEOUT_MS, this.maxTimeoutMs),
      ...bodyOf(request),
    });
    if (status === undefined) {
      throw new AdapterHttpError(sent ? 'sent' : 'not_sent', error?.message ?? 'The platform did not respond.');
    }
    if (truncated) throw new AdapterHttpError('sent', 'The platform’s answer was cut off, or is larger than 1 MiB.');
    return { status, headers: answered, body, json: () => parsed(body) };
  }

  private isAllowed(url: string): boolean {
    const target = URL.parse(url);
    return target?.protocol === 'https:' && this.origins.includes(target.origin);
  }
}

function typeOf({ json, form }: AdapterRequest): Record<string, string> {
  if (form) return { 'content-type': 'application/x-www-form-urlencoded' };
  return json === undefined ? {} : { 'content-type': 'application/json' };
}

function bodyOf({ json, form }: AdapterRequest): { body?: Buffer } {
  if (form) return { body: Buffer.from(new URLSearchParams(form).toString()) };
  return json === undefined ? {} : { body: Buffer.from(JSON.stringify(json)) };
}

function lowered(headers: AdapterRequest['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function parsed(body: Buffer): Json | undefined {
  try {
    // A value that JSON.parse returns is always JSON.
    return JSON.parse(body.toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}

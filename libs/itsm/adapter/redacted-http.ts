import type { Json } from '#core';
import { AdapterHttp, type AdapterRequest, type AdapterResponse } from './adapter-http.js';
import type { SecretFilter } from './secret-filter.js';

/**
 * An HTTP client that removes secrets from error answers before an adapter can quote, cut or fold them. Successful
 * answers are not changed, because adapters need exact names and keys.
 */
export class RedactedHttp extends AdapterHttp {
  constructor(
    private readonly http: AdapterHttp,
    private readonly filter: SecretFilter,
  ) {
    super();
  }

  override async request(request: AdapterRequest): Promise<AdapterResponse> {
    const answer = await this.http.request(request);
    return answer.status >= 200 && answer.status < 300 ? answer : redactedAnswer(answer, this.filter);
  }
}

/** An answer without what the filter hides, in its headers and its body. */
export function redactedAnswer(answer: AdapterResponse, filter: SecretFilter): AdapterResponse {
  const shown = Object.entries(answer.headers).map(([name, value]) => [name, filter.hide(value)] as const);
  const said: Json | undefined = answer.json();
  const kept = said === undefined ? undefined : filter.hideIn(said);
  const text = kept === undefined ? filter.hide(answer.body.toString('utf8')) : JSON.stringify(kept);
  const headers = Object.fromEntries(shown);
  return { status: answer.status, headers, body: Buffer.from(text), json: () => structuredClone(kept) };
}

import { asText, objectIn, type AdapterResponse, type JsonObject } from 'nest-llm-governance/itsm';
import { AcmeDeskAdapter, type Context } from './acme-desk.adapter.js';

/** Adapter for an Acme Desk that reports its rate limit with status 400, and the wait in a header of its own. */
export class LimitedDeskAdapter extends AcmeDeskAdapter {
  protected override async ask(context: Context, path: string, json?: JsonObject): Promise<AdapterResponse> {
    const response = await super.ask(context, path, json);
    const { status, headers } = response;
    if (status !== 400 || asText(objectIn(response)?.['code']) !== 'RATELIMITED') return response;
    return { ...response, status: 429, headers: { ...headers, 'retry-after': headers['x-limit-reset'] ?? '' } };
  }
}

import type { JsonObject } from '#core';
import type { AdapterRequest, AdapterResponse, CreateOutcome, RenderedTicket } from '#itsm';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { Rewired, type Context, type Pass } from './rewired.js';

// Copies of an adapter that each break a rule of what is called, and of what is told to whom.

export class Following extends Rewired {
  override async between(request: AdapterRequest, pass: Pass): Promise<AdapterResponse> {
    const response = await pass(request);
    const location = response.headers['location'];
    return location === undefined ? response : pass({ ...request, url: location }).catch(() => response);
  }
}

export class Telling extends Rewired {
  override async between(request: AdapterRequest, pass: Pass): Promise<AdapterResponse> {
    await pass({ method: 'GET', url: 'https://telemetry.acme.example/' }).catch(() => undefined);
    return pass(request);
  }
}

export class Leisurely extends Rewired {
  override async between(request: AdapterRequest, pass: Pass): Promise<AdapterResponse> {
    for (const path of ['/api/me', '/api/me', '/api/me']) {
      await pass({ ...request, method: 'GET', url: new URL(path, request.url).href, timeoutMs: 15_000 });
    }
    return pass(request);
  }
}

export class KeyInUrl extends Rewired {
  override between(request: AdapterRequest, pass: Pass, { secrets }: Context): Promise<AdapterResponse> {
    const sign = request.url.includes('?') ? '&' : '?';
    return pass({ ...request, url: `${request.url}${sign}token=${secrets.api_token}` });
  }
}

export class KeyInBody extends Rewired {
  override between(request: AdapterRequest, pass: Pass, { secrets }: Context): Promise<AdapterResponse> {
    const json = request.json as JsonObject | undefined;
    return pass(json ? { ...request, json: { ...json, by: secrets.api_token } } : request);
  }
}

export class KeyInMessage extends AcmeDeskAdapter {
  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const outcome = await super.create(context, ticket);
    const message = `The token ${context.secrets.api_token} did not do.`;
    return outcome.kind === 'rejected' && outcome.code === 'auth' ? { ...outcome, message } : outcome;
  }
}

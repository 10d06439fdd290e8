import type { JsonObject } from '#core';
import {
  quoted,
  type AdapterRequest,
  type AdapterResponse,
  type CreateOutcome,
  type RenderedTicket,
  type TicketRef,
} from '#itsm';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { Rewired, type Context, type Pass } from './rewired.js';

// Copies of an adapter that each break a rule about its requests and the data in them.

export class FollowingRedirects extends Rewired {
  override async between(request: AdapterRequest, pass: Pass): Promise<AdapterResponse> {
    const response = await pass(request);
    const location = response.headers['location'];
    return location === undefined ? response : pass({ ...request, url: location }).catch(() => response);
  }
}

export class CallingAnotherHost extends Rewired {
  override async between(request: AdapterRequest, pass: Pass): Promise<AdapterResponse> {
    await pass({ method: 'GET', url: 'https://telemetry.acme.example/' }).catch(() => undefined);
    return pass(request);
  }
}

export class WaitingForMinutes extends Rewired {
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

/** An adapter that sends the token in a form when it checks the connector. */
export class KeyInForm extends Rewired {
  override between(request: AdapterRequest, pass: Pass, { secrets }: Context): Promise<AdapterResponse> {
    const isCheck = new URL(request.url).pathname === '/api/me';
    return pass(isCheck ? { ...request, method: 'POST', form: { token: secrets.api_token } } : request);
  }
}

/** The error for refused credentials. */
abstract class WithErrorMessage extends AcmeDeskAdapter {
  abstract excuse(context: Context): string;

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const outcome = await super.create(context, ticket);
    return outcome.kind === 'rejected' && outcome.code === 'auth'
      ? { ...outcome, message: this.excuse(context) }
      : outcome;
  }
}

export class KeyInHint extends WithErrorMessage {
  override excuse = ({ secrets }: Context): string => `The token ${secrets.api_token.slice(0, 9)}… did not do.`;
}

export class KeyInSuccess extends Rewired {
  private said = '';

  override async between(request: AdapterRequest, pass: Pass): Promise<AdapterResponse> {
    const response = await pass(request);
    this.said = response.status === 201 ? quoted(response.body.toString()) : '';
    return response;
  }

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const outcome = await super.create(context, ticket);
    return outcome.kind === 'uncertain' && this.said !== ''
      ? { ...outcome, message: `It says: ${this.said}` }
      : outcome;
  }
}

/** An adapter that keeps using the settings and secrets of the first call. */
abstract class KeepingFirstContext extends AcmeDeskAdapter {
  private first: Context | undefined;
  abstract blend(first: Context, context: Context): Context;

  private mine(context: Context): Context {
    this.first ??= context;
    return this.blend(this.first, context);
  }

  override create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    return super.create(this.mine(context), ticket);
  }

  override findByKey(context: Context, key: string): Promise<TicketRef[]> {
    return super.findByKey(this.mine(context), key);
  }
}

export class FirstSecretsForAll extends KeepingFirstContext {
  override blend = ({ secrets }: Context, context: Context): Context => ({ ...context, secrets });
}

export class FirstAddressForAll extends KeepingFirstContext {
  override blend = ({ settings }: Context, context: Context): Context => ({ ...context, settings });
}

export class LatestSecretsForAll extends AcmeDeskAdapter {
  private current: Context | undefined;

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    this.current = context;
    await new Promise(done => setImmediate(done));
    return super.create({ ...context, secrets: this.current.secrets }, ticket);
  }
}

export class KeyInMessage extends WithErrorMessage {
  override excuse = ({ secrets }: Context): string => `The token ${secrets.api_token} did not do.`;
}

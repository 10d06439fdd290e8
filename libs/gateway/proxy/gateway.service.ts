import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationShutdown } from '@nestjs/common';
import type { Actor, HttpRequest, HttpResponse } from '#access';
import { callerOf, GovernedCalls, type CallRequest } from '#calls';
import { BadRequestError, isStorableText } from '#core';
import { EgressClient, type StreamRequest } from '#egress';
import { Scheduler } from '#scheduler';
import { readWireRequest, wireRouteOf, type WireRequest, type WireRoute } from '#wire';
import { GATEWAY_DEFAULTS, GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options.js';
import { CallableProviders, type CallableProvider, type Way } from '../providers/callable-providers.js';
import { gatewayErrors } from './gateway.errors.js';
import type { GatewayPath } from './gateway-path.js';
import { headersForProvider } from './headers.js';
import { MeteredCall } from './metered-call.js';
import { personOf, USER_HEADER } from './person.js';
import { ProviderExchange } from './provider-exchange.js';
import { readJson, readRawBody } from './read-body.js';

/** Interval at which the reservations of long answers are extended. By default, a reservation ends after 15 minutes. */
const EVERY_FOUR_MINUTES = '0 */4 * * * *';

const MODEL_MAX = 255;

/** Handles calls to providers: requests a decision, forwards the call, meters the answer and records its usage. */
@Injectable()
export class GatewayService implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly running = new Set<ProviderExchange>();
  private readonly options: Required<GatewayOptions>;
  private stopping: NodeJS.Timeout | undefined;

  constructor(
    private readonly providers: CallableProviders,
    private readonly calls: GovernedCalls,
    private readonly egress: EgressClient,
    scheduler: Scheduler,
    @Inject(GATEWAY_OPTIONS) options: GatewayOptions,
  ) {
    this.options = { ...GATEWAY_DEFAULTS, ...options };
    scheduler.add({
      name: 'answer-reservations',
      pattern: EVERY_FOUR_MINUTES,
      runsEverywhere: true,
      failure: 'What answers reserve could not be kept',
      round: () => this.extend(),
    });
  }

  /** Runs before the HTTP server closes. Otherwise the server would wait for answers that never end. */
  beforeApplicationShutdown(): void {
    this.stopping = setTimeout(() => {
      for (const exchange of this.running) exchange.stop();
    }, this.options.shutdownGraceMs).unref();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.stopping);
    for (const exchange of this.running) exchange.stop();
  }

  /**
   * Forwards a request to a provider, and the provider's answer to the caller. Resolves when the answer was forwarded
   * or aborted.
   * @throws RefusedError if the decision does not allow the call; the provider is not called
   * @throws GatewayError if the call fails before the answer began
   */
  async pass(actor: Actor, path: GatewayPath, request: HttpRequest, response: HttpResponse): Promise<void> {
    const { orgId } = actor;
    const providers = this.providers.peek(orgId) ?? (await this.providers.of(orgId));
    const provider = providers.get(path.name);
    if (!provider) throw gatewayErrors.noProvider();
    if (!provider.active) throw gatewayErrors.inactive(provider.name);
    const { way } = provider;
    if ('problem' in way) throw gatewayErrors.broken(provider.name, way.problem);
    const { method = '' } = request;
    const route = wireRouteOf(provider.wire, method, path.path, provider.versions);
    if (!route) throw gatewayErrors.noPath();
    const person = route.metered ? personOf(actor, request.headers[USER_HEADER]) : undefined;
    const body = method === 'POST' ? await readRawBody(request, this.options.maxBodyBytes) : undefined;
    const outgoing = this.requestTo(way, path, request, body);
    if (!person || !body) return this.run({ provider, response, request: outgoing });
    const wire = readWireRequest(route, readJson(body));
    const call = await this.open(actor, { ...person, ...wordsOf(wire, provider) }, { route, wire });
    const sent = wire.changed ? { ...outgoing, body: Buffer.from(JSON.stringify(wire.body)) } : outgoing;
    return this.run({ provider, response, request: sent, call });
  }

  /**
   * Extends the reservations of running exchanges. Each exchange handles its own errors. Returns 0, because one round
   * extends all reservations.
   */
  private async extend(): Promise<number> {
    await Promise.all([...this.running].map(exchange => exchange.extend()));
    return 0;
  }

  private async open(
    actor: Actor,
    request: CallRequest,
    { route, wire }: { route: WireRoute; wire: WireRequest },
  ): Promise<MeteredCall> {
    return new MeteredCall(await this.calls.open(actor.orgId, request, { caller: callerOf(actor) }), route, wire);
  }

  private requestTo(way: Way, { path, query }: GatewayPath, request: HttpRequest, body?: Buffer): StreamRequest {
    const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = this.options;
    return {
      target: way.target,
      path: way.basePath + path + query,
      method: body ? 'POST' : 'GET',
      headers: headersForProvider(request.headers, way.credential, body !== undefined),
      ...(body ? { body } : {}),
      limits: { connectMs: connectTimeoutMs, firstByteMs: firstByteTimeoutMs, idleMs: idleTimeoutMs },
    };
  }

  private async run(parts: {
    provider: CallableProvider;
    response: HttpResponse;
    request: StreamRequest;
    call?: MeteredCall;
  }): Promise<void> {
    const { egress, options } = this;
    const exchange = new ProviderExchange({ ...parts, egress, retries: options.retries });
    this.running.add(exchange);
    try {
      await exchange.run();
    } finally {
      this.running.delete(exchange);
    }
  }
}

/** Maps a request to a provider to a decision request. */
function wordsOf(wire: WireRequest, { label }: CallableProvider): Omit<CallRequest, 'user_id' | 'user_email'> {
  const { model, estimatedInputTokens, maxOutputTokens, serviceTier } = wire;
  if (model.length > MODEL_MAX || !isStorableText(model)) {
    throw BadRequestError.field('model', `must be a text of at most ${MODEL_MAX} characters`);
  }
  return {
    model,
    provider: label,
    estimated_input_tokens: estimatedInputTokens,
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  };
}

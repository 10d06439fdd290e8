import { Inject, Injectable } from '@nestjs/common';
import { within } from '#core';
import { AddressFilter } from './address-filter.js';
import { AllowedTargets, type EgressPurpose } from './addresses/allowed-targets.js';
import { readTarget, type Target } from './addresses/target-url.js';
import { traceCall } from './call-span.js';
import { Connections, OpenConnections } from './connections.js';
import { EgressRefusedError, NameUnresolvedError } from './egress.errors.js';
import { EGRESS_OPTIONS, type EgressOptions } from './egress.options.js';
import type { AnswerSink, EgressAnswer, EgressRequest, StreamControl, StreamRequest } from './egress-request.js';
import { Exchange } from './exchange.js';
import { NameResolver } from './name-resolver.js';
import { JudgedTarget } from './judged-target.js';
import { StreamedExchange } from './streamed-exchange.js';

/** How long {@link EgressClient.vet} waits for name servers, in milliseconds. */
const ADDRESS_CHECK_TIMEOUT_MS = 2_000;

const NOT_THE_CALLERS = new Set(['host', 'accept-encoding']);

interface Way {
  filter: AddressFilter;
  connections: Connections;
}

/**
 * The only HTTP client for outbound calls. Calls `https:` URLs at public addresses and at addresses that the operator
 * allows. Always verifies certificates, and never follows redirects. For the purpose `gateway`, it also calls `http:`
 * URLs at addresses that the operator allows. Names are resolved by DNS only (c-ares), without /etc/hosts. DNS answers
 * are not cached: each new connection checks the addresses of its name. A connection lives for about 30 seconds.
 */
@Injectable()
export class EgressClient {
  private readonly names: NameResolver;
  private readonly ways: Readonly<Record<EgressPurpose, Way>>;

  /** @throws Error that names the invalid option */
  constructor(@Inject(EGRESS_OPTIONS) options: EgressOptions) {
    this.names = new NameResolver(options.nameServers);
    const allowed = new AllowedTargets(options.allow ?? []);
    const opened = new OpenConnections();
    const wayFor = (purpose: EgressPurpose): Way => {
      const filter = new AddressFilter(allowed, purpose, this.names);
      return { filter, connections: new Connections(filter, options.connectionsPerOrigin, opened) };
    };
    this.ways = {
      webhooks: wayFor('webhooks'),
      tickets: wayFor('tickets'),
      chat: wayFor('chat'),
      gateway: wayFor('gateway'),
      audit: wayFor('audit'),
    };
  }

  /**
   * Refuses a URL that can never be called, before it is stored. Returns the canonical spelling of the URL. If the name
   * has no address, or no name server answers within 2 seconds, the URL is accepted, because each call checks it again.
   * @throws EgressRefusedError
   */
  async vet(purpose: EgressPurpose, url: string): Promise<string> {
    const { filter } = this.ways[purpose];
    const target = aim(filter, purpose, url);
    if (target instanceof EgressRefusedError) throw target;
    if (!target.isAddress) await judgeName(filter, target);
    return target.origin + target.path;
  }

  /** Sends one request once. If the other side fails, the result describes the failure; the promise does not reject. */
  send(request: EgressRequest): Promise<EgressAnswer> {
    const { filter, connections } = this.ways[request.purpose];
    const target = aim(filter, request.purpose, request.url);
    if (target instanceof EgressRefusedError) {
      const refused = new Exchange(request);
      refused.fail(target);
      return refused.answer;
    }
    const exchange = new Exchange(request, () => connections.mayShow(target.host, target.port));
    void traceCall(request, target, exchange.answer);
    if (!exchange.hasEnded) {
      const { method, body = null } = request;
      const headers = headersOf(request);
      connections.dispatch({ origin: target.origin, path: target.path, method, headers, body }, exchange);
    }
    return exchange.answer;
  }

  /**
   * Parses and checks a URL once, for many calls of {@link stream}. Each new connection checks the addresses of its
   * name.
   * @throws EgressRefusedError
   */
  judge(purpose: EgressPurpose, url: string): JudgedTarget {
    const target = aim(this.ways[purpose].filter, purpose, url);
    if (target instanceof EgressRefusedError) throw target;
    return new JudgedTarget(purpose, target.origin, target.path);
  }

  /**
   * Sends one request once, and streams the response: the head, each chunk of the body, then the end or a failure.
   * Buffers nothing. If the other side fails, the sink is called; nothing is thrown.
   */
  stream(request: StreamRequest, sink: AnswerSink): StreamControl {
    const { target, path, method, headers, body = null } = request;
    const exchange = new StreamedExchange(request, sink);
    const list = ['accept-encoding', 'identity'];
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const [name = '', value = ''] = [headers[at], headers[at + 1]];
      if (!NOT_THE_CALLERS.has(name.toLowerCase())) list.push(name, value);
    }
    this.ways[target.purpose].connections.dispatch(
      { origin: target.origin, path, method, headers: list, body },
      exchange,
    );
    return exchange;
  }

  /**
   * Ends all running calls with `aborted` and closes all connections. Calls that start later end with `aborted` at
   * once.
   */
  async close(): Promise<void> {
    this.names.close();
    await Promise.all(Object.values(this.ways).map(({ connections }) => connections.close()));
  }
}

async function judgeName(filter: AddressFilter, { host, port, isPlain }: Target): Promise<void> {
  try {
    await within(
      ADDRESS_CHECK_TIMEOUT_MS,
      filter.admit(host, port, isPlain),
      () => new NameUnresolvedError(host, 'late'),
    );
  } catch (error) {
    if (!(error instanceof NameUnresolvedError)) throw error;
  }
}

function aim(filter: AddressFilter, purpose: EgressPurpose, url: string): Target | EgressRefusedError {
  const { target, refusal } = readTarget(url, purpose === 'gateway');
  if (!target) return new EgressRefusedError('refused_url', refusal);
  return filter.judgeLiteral(target) ?? target;
}

/** Headers as a list of alternating names and values. undici uses such a list without a copy. */
function headersOf({ headers }: EgressRequest): string[] {
  const list = ['accept-encoding', 'identity'];
  for (const [name, value] of Object.entries(headers)) {
    if (!NOT_THE_CALLERS.has(name.toLowerCase())) list.push(name, value);
  }
  return list;
}

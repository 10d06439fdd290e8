import { Inject, Injectable } from '@nestjs/common';
import { within } from '#core';
import { AddressGate } from './address-gate.js';
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
const VETTING_PATIENCE_MS = 2_000;

const NOT_THE_CALLERS = new Set(['host', 'accept-encoding']);

interface Way {
  gate: AddressGate;
  connections: Connections;
}

/**
 * The only way for HTTP to leave this system. Calls `https:` URLs at public addresses and at those the operator
 * allows, with certificates always verified, and never follows a redirect. For the purpose `gateway` it calls `http:`
 * URLs as well, at addresses that the operator allows. Names are resolved by name servers alone
 * (c-ares): /etc/hosts is not read. Answers of name servers are not kept; each new connection goes to addresses that
 * were judged for it, and a connection lives for about 30 seconds.
 */
@Injectable()
export class EgressClient {
  private readonly names: NameResolver;
  private readonly ways: Readonly<Record<EgressPurpose, Way>>;

  /** @throws Error naming the option that is wrong */
  constructor(@Inject(EGRESS_OPTIONS) options: EgressOptions) {
    this.names = new NameResolver(options.nameServers);
    const allowed = new AllowedTargets(options.allow ?? []);
    const opened = new OpenConnections();
    const wayFor = (purpose: EgressPurpose): Way => {
      const gate = new AddressGate(allowed, purpose, this.names);
      return { gate, connections: new Connections(gate, options.connectionsPerOrigin, opened) };
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
   * Refuses a URL that could never be called, before it is stored; returns it in the one spelling in which it is
   * called. A name that has no address yet, or no name server that answers within 2 seconds, passes: it is judged again
   * whenever it is called.
   * @throws EgressRefusedError
   */
  async vet(purpose: EgressPurpose, url: string): Promise<string> {
    const { gate } = this.ways[purpose];
    const target = aim(gate, purpose, url);
    if (target instanceof EgressRefusedError) throw target;
    if (!target.isAddress) await judgeName(gate, target);
    return target.origin + target.path;
  }

  /** Sends one request, once. Failures of the other side are part of the result; it never rejects for them. */
  send(request: EgressRequest): Promise<EgressAnswer> {
    const { gate, connections } = this.ways[request.purpose];
    const target = aim(gate, request.purpose, request.url);
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
   * Reads and judges a URL once, for many calls of {@link stream}. The addresses of a name are judged by each connection.
   * @throws EgressRefusedError
   */
  judge(purpose: EgressPurpose, url: string): JudgedTarget {
    const target = aim(this.ways[purpose].gate, purpose, url);
    if (target instanceof EgressRefusedError) throw target;
    return new JudgedTarget(purpose, target.origin, target.path);
  }

  /**
   * Sends one request, once, and streams the answer: the head, each chunk of the body, then the end or a failure.
   * Buffers nothing. Never throws for failures of the other side.
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

  /** Ends every call that runs with `aborted`, closes all connections; later calls end the same way at once. */
  async close(): Promise<void> {
    this.names.close();
    await Promise.all(Object.values(this.ways).map(({ connections }) => connections.close()));
  }
}

async function judgeName(gate: AddressGate, { host, port, isPlain }: Target): Promise<void> {
  try {
    await within(VETTING_PATIENCE_MS, gate.admit(host, port, isPlain), () => new NameUnresolvedError(host, 'late'));
  } catch (error) {
    if (!(error instanceof NameUnresolvedError)) throw error;
  }
}

function aim(gate: AddressGate, purpose: EgressPurpose, url: string): Target | EgressRefusedError {
  const { target, refusal } = readTarget(url, purpose === 'gateway');
  if (!target) return new EgressRefusedError('refused_url', refusal);
  return gate.judgeLiteral(target) ?? target;
}

/** As the list of names and values that undici takes without a copy. */
function headersOf({ headers }: EgressRequest): string[] {
  const list = ['accept-encoding', 'identity'];
  for (const [name, value] of Object.entries(headers)) {
    if (!NOT_THE_CALLERS.has(name.toLowerCase())) list.push(name, value);
  }
  return list;
}

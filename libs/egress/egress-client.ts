import { Inject, Injectable } from '@nestjs/common';
import { within } from '#core';
import { AddressGate } from './address-gate.js';
import { parseNetworks } from './addresses/network.js';
import { readTarget, type Target } from './addresses/target-url.js';
import { Connections } from './connections.js';
import { EgressRefusedError, NameUnresolvedError } from './egress.errors.js';
import { EGRESS_OPTIONS, type EgressOptions } from './egress.options.js';
import type { EgressAnswer, EgressRequest } from './egress.types.js';
import { Exchange } from './exchange.js';
import { NameResolver } from './name-resolver.js';

/** How long {@link EgressClient.vet} waits for name servers, in milliseconds. */
const VETTING_PATIENCE_MS = 2_000;

const NOT_THE_CALLERS = new Set(['host', 'accept-encoding']);

/**
 * The only way for HTTP to leave this system. Calls `https:` URLs at public addresses and at those the operator
 * allows, with certificates always verified, and never follows a redirect. Names are resolved by name servers alone
 * (c-ares): /etc/hosts is not read. Answers of name servers are not kept; each new connection goes to addresses that
 * were judged for it, and a connection lives for about 30 seconds.
 */
@Injectable()
export class EgressClient {
  private readonly names: NameResolver;
  private readonly gate: AddressGate;
  private readonly connections: Connections;

  /** @throws Error naming the option that is wrong */
  constructor(@Inject(EGRESS_OPTIONS) options: EgressOptions) {
    this.names = new NameResolver(options.nameServers);
    this.gate = new AddressGate(parseNetworks(options.allow ?? [], 'egress.allow'), this.names);
    this.connections = new Connections(this.gate.lookup, options.connectionsPerOrigin);
  }

  /**
   * Refuses a URL that could never be called, before it is stored; returns it in the one spelling in which it is
   * called. A name that has no address yet, or no name server that answers within 2 seconds, passes: it is judged again
   * whenever it is called.
   * @throws EgressRefusedError
   */
  async vet(url: string): Promise<string> {
    const target = this.aim(url);
    if (target instanceof EgressRefusedError) throw target;
    if (!target.isAddress) await this.judgeName(target.host);
    return target.origin + target.path;
  }

  /** Sends one request, once. Whatever the outside does is in the answer; this never rejects for it. */
  send(request: EgressRequest): Promise<EgressAnswer> {
    const exchange = new Exchange(request);
    const target = this.aim(request.url);
    if (target instanceof EgressRefusedError) exchange.fail(target);
    else if (!exchange.hasEnded) {
      const { method, body = null } = request;
      const headers = headersOf(request);
      this.connections.dispatch({ origin: target.origin, path: target.path, method, headers, body }, exchange);
    }
    return exchange.answer;
  }

  /** Ends every call that runs with `aborted`, closes all connections; later calls end the same way at once. */
  close(): Promise<void> {
    this.names.close();
    return this.connections.close();
  }

  private async judgeName(host: string): Promise<void> {
    try {
      await within(VETTING_PATIENCE_MS, this.gate.admit(host), () => new NameUnresolvedError(host, 'late'));
    } catch (error) {
      if (!(error instanceof NameUnresolvedError)) throw error;
    }
  }

  private aim(url: string): Target | EgressRefusedError {
    const { target, refusal } = readTarget(url);
    if (!target) return new EgressRefusedError('refused_url', refusal);
    return this.gate.judgeLiteral(target) ?? target;
  }
}

/** As the list of names and values that undici takes without a copy. */
function headersOf({ headers }: EgressRequest): string[] {
  const list = ['accept-encoding', 'identity'];
  for (const [name, value] of Object.entries(headers)) {
    if (!NOT_THE_CALLERS.has(name.toLowerCase())) list.push(name, value);
  }
  return list;
}

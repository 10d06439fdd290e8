import type { IncomingMessage } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { LRUCache } from 'lru-cache';
import { boundedBy } from '#core';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import type { HttpRequest } from './http-request.js';

const FORMS_MAX = 10_000;

/**
 * Headers that reveal a proxy: every spelling of "forwarded", and other headers with a client address. A ticket
 * platform that calls directly sends none of these headers. The address itself is read only from `X-Forwarded-For`, and
 * only from a trusted proxy.
 */
const PROXY_HEADER =
  /^(?:via|cdn-loop|cf-ray|x-envoy-external-address|x-real-(?:ip|port)|x-azure-(?:client|socket)ip)$|(?:^|-)forwarded(?:-|$)|(?:^|-)(?:client|connecting|remote|user)-ip(?:v6)?$/;

/** Determines the client address. `X-Forwarded-For` counts only if a trusted proxy has set it. */
@Injectable()
export class ClientAddress {
  private readonly logger = new Logger('Governance');
  private readonly trusts: (address: string, hop: number) => boolean;
  private readonly forms = new LRUCache<string, string>(boundedBy(FORMS_MAX));
  private hasWarned = false;

  constructor(@Inject(ACCESS_OPTIONS) options: AccessOptions) {
    this.trusts = proxyAddr.compile([...(options.trustedProxies ?? [])]);
  }

  /** Null if unknown, for example because a trusted proxy sent an invalid header. */
  of(request: HttpRequest): string | null {
    const raw = request.raw ?? request;
    const peer = raw.socket?.remoteAddress;
    if (!peer) return null;
    if (!this.hasWarned && this.comesByUntrustedProxy(request, peer)) this.warn(peer);
    // Express and Fastify expose Node's own request, and proxy-addr needs only that.
    const isForwarded = request.headers['x-forwarded-for'] !== undefined;
    return this.written(isForwarded ? proxyAddr(raw as IncomingMessage, this.trusts) : peer);
  }

  /**
   * Normalizes an address: IPv4 stays IPv4 even on a dual-stack socket. Cached, because parsing is slower than a
   * lookup.
   */
  private written(address: string): string | null {
    const known = this.forms.get(address);
    if (known !== undefined) return known;
    if (!ipaddr.isValid(address)) return null;
    const form = ipaddr.process(address).toString();
    this.forms.set(address, form);
    return form;
  }

  /**
   * Whether the real client address is hidden, because the request came through an untrusted proxy, or through a proxy
   * that does not send `X-Forwarded-For`. The known address is then the proxy's.
   */
  isHidden(request: HttpRequest): boolean {
    if (!isPassedOn(request)) return false;
    const peer = (request.raw ?? request).socket?.remoteAddress;
    return peer === undefined || request.headers['x-forwarded-for'] === undefined || !this.trusts(peer, 0);
  }

  /**
   * Whether an untrusted proxy in the internal network forwarded the request. A peer with a public address may be a
   * client that sent the proxy headers itself, so it does not count.
   */
  private comesByUntrustedProxy(request: HttpRequest, peer: string): boolean {
    if (!isPassedOn(request)) return false;
    return !this.trusts(peer, 0) && ipaddr.isValid(peer) && ipaddr.process(peer).range() !== 'unicast';
  }

  private warn(peer: string): void {
    this.hasWarned = true;
    this.logger.warn(
      `Requests come through a proxy at ${peer} that is not trusted: its address counts as that of every caller, in ` +
        'limits, in the audit log and in allow-lists. Set GOVERNANCE_TRUSTED_PROXIES (option trustedProxies) to the ' +
        'addresses of your proxies.',
    );
  }
}

function isPassedOn({ headers }: HttpRequest): boolean {
  return Object.keys(headers).some(name => PROXY_HEADER.test(name));
}

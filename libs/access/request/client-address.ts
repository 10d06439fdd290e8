import type { IncomingMessage } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { LRUCache } from 'lru-cache';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import type { HttpRequest } from './http-request.js';

const FORMS_MAX = 10_000;

/**
 * Headers that a proxy adds to a request that it passes on: every spelling of "forwarded", and names that say where a
 * client is. A ticket platform that calls directly sends none of them. Only `X-Forwarded-For` is read, and only from a
 * trusted proxy.
 */
const PROXY_HEADER =
  /^(?:via|cdn-loop|cf-ray|x-envoy-external-address|x-real-(?:ip|port)|x-azure-(?:client|socket)ip)$|(?:^|-)forwarded(?:-|$)|(?:^|-)(?:client|connecting|remote|user)-ip(?:v6)?$/;

/**
 * The address that a request came from. `X-Forwarded-For` counts only if it was set by a proxy that the options trust.
 */
@Injectable()
export class ClientAddress {
  private readonly logger = new Logger('Governance');
  private readonly trusts: (address: string, hop: number) => boolean;
  private readonly forms = new LRUCache<string, string>({ max: FORMS_MAX });
  private hasWarned = false;

  constructor(@Inject(ACCESS_OPTIONS) options: AccessOptions) {
    this.trusts = proxyAddr.compile([...(options.trustedProxies ?? [])]);
  }

  /** Null where it is not known, such as when a trusted proxy wrote something else into the header. */
  of(request: HttpRequest): string | null {
    const raw = request.raw ?? request;
    const peer = raw.socket?.remoteAddress;
    if (!peer) return null;
    if (!this.hasWarned && this.comesByUntrustedProxy(request, peer)) this.warn(peer);
    // Both platforms hand out Node's own message, which is all that proxy-addr reads.
    const isForwarded = request.headers['x-forwarded-for'] !== undefined;
    return this.written(isForwarded ? proxyAddr(raw as IncomingMessage, this.trusts) : peer);
  }

  /** The usual form of an address, IPv4 as IPv4 also on a socket that speaks both. Parsing costs more than a look-up. */
  private written(address: string): string | null {
    const known = this.forms.get(address);
    if (known !== undefined) return known;
    if (!ipaddr.isValid(address)) return null;
    const form = ipaddr.process(address).toString();
    this.forms.set(address, form);
    return form;
  }

  /**
   * Whether a proxy passed the request on that is not trusted to say for whom, or that says it in other headers than
   * `X-Forwarded-For`, which are not read. The address is then that of a proxy, and says nothing of the sender.
   */
  isHidden(request: HttpRequest): boolean {
    if (!isPassedOn(request)) return false;
    const peer = (request.raw ?? request).socket?.remoteAddress;
    return peer === undefined || request.headers['x-forwarded-for'] === undefined || !this.trusts(peer, 0);
  }

  /** Strangers put headers into requests of their own; what comes from the network inside comes from a proxy. */
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

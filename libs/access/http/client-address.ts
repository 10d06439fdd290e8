import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import type { HttpRequest } from './http-request.js';

/** The address a request came from; `X-Forwarded-For` is believed only from proxies that are trusted by name. */
@Injectable()
export class ClientAddress {
  private readonly trusts: (address: string, hop: number) => boolean;

  constructor(@Inject(ACCESS_OPTIONS) options: AccessOptions) {
    try {
      this.trusts = proxyAddr.compile([...(options.trustedProxies ?? [])]);
    } catch (error) {
      const cause = error instanceof Error ? error.message : 'unreadable';
      throw new Error(`trustedProxies: ${cause}; list addresses or ranges, such as 10.0.0.0/8`, { cause: error });
    }
  }

  /** Null where it is not known, such as when a trusted proxy wrote something else into the header. */
  of(request: HttpRequest): string | null {
    const raw = request.raw ?? request;
    if (!raw.socket?.remoteAddress) return null;
    // Both platforms hand out Node's own message, which is all that proxy-addr reads.
    const address = proxyAddr(raw as IncomingMessage, this.trusts);
    // IPv4 is written as IPv4, also on a socket that speaks both.
    return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
  }
}

import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import proxyAddr from 'proxy-addr';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import type { HttpRequest } from './http-request.js';

/** The address a request came from; `X-Forwarded-For` is believed only from proxies that are trusted by name. */
@Injectable()
export class ClientAddress {
  private readonly trusts: (address: string, hop: number) => boolean;

  constructor(@Inject(ACCESS_OPTIONS) options: AccessOptions) {
    this.trusts = proxyAddr.compile([...(options.trustedProxies ?? [])]);
  }

  of(request: HttpRequest): string | null {
    const raw = request.raw ?? request;
    if (!raw.socket?.remoteAddress) return null;
    // Both platforms hand out Node's own message, which is all that proxy-addr reads.
    return proxyAddr(raw as IncomingMessage, this.trusts);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { Clock, RateLimitedError } from '#core';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import { ClientAddress } from '../request/client-address.js';
import type { HttpRequest } from '../request/http-request.js';
import { TokenBuckets } from '../limits/token-buckets.js';
import ipaddr from 'ipaddr.js';

const DEFAULT_PER_MINUTE = 300;

/**
 * Limits failed sign-ins per address in this process, without writing to the database. A cached valid credential always
 * passes. Lookups of new credentials have a separate limit, which counts only unsuccessful lookups. One client with a
 * wrong token therefore does not block other clients behind the same address.
 */
@Injectable()
export class SignInLimits {
  private readonly perMinute: number;
  private readonly failures: TokenBuckets;
  private readonly lookUps: TokenBuckets;

  constructor(
    @Inject(ACCESS_OPTIONS) options: AccessOptions,
    private readonly addresses: ClientAddress,
    private readonly clock: Clock,
  ) {
    this.perMinute = options.failedSignInsPerMinute ?? DEFAULT_PER_MINUTE;
    this.failures = new TokenBuckets(this.perMinute, this.perMinute / 60);
    this.lookUps = new TokenBuckets(this.perMinute, this.perMinute / 60);
  }

  /**
   * Counts a failed sign-in.
   * @throws RateLimitedError if there were too many failed sign-ins from the address
   */
  countFailure(request: HttpRequest): void {
    if (this.perMinute === 0) return;
    const wait = this.failures.take(this.keyOf(request), this.now());
    if (wait > 0) throw this.tooMany('sign-ins from your address have failed in a minute', wait);
  }

  /**
   * Looks up a new credential, and counts unsuccessful lookups.
   * @throws RateLimitedError without a lookup if too many lookups from the address were unsuccessful or are running.
   * The credential may be valid, so this error does not count as a failed sign-in.
   */
  async lookUp<T>(request: HttpRequest, look: () => Promise<T | null>): Promise<T | null> {
    if (this.perMinute === 0) return look();
    const key = this.keyOf(request);
    const wait = this.lookUps.take(key, this.now());
    if (wait > 0) throw this.tooMany('unknown credentials came from your address in a minute', wait);
    let isUnknown = false;
    try {
      const found = await look();
      isUnknown = found === null;
      return found;
    } finally {
      if (!isUnknown) this.lookUps.giveBack(key, this.now());
    }
  }

  private tooMany(what: string, wait: number): RateLimitedError {
    return new RateLimitedError(
      `More than ${this.perMinute} ${what}; check the access token and wait ${wait} ${wait === 1 ? 'second' : 'seconds'}.`,
      wait,
    );
  }

  private keyOf(request: HttpRequest): string {
    return addressKey(this.addresses.of(request));
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

const HOST_BYTES = 8;

/** The key of the rate limit: an IPv4 address, or the /64 network of an IPv6 address. */
function addressKey(address: string | null): string {
  // Callers without a known address share one key.
  if (address === null || !ipaddr.isValid(address)) return '';
  const read = ipaddr.process(address);
  if (read.kind() === 'ipv4') return read.toString();
  const network = [...read.toByteArray().slice(0, HOST_BYTES), ...Array<number>(HOST_BYTES).fill(0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}

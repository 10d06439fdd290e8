import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy, Clock } from '#core';
import { bearerCredentialOf } from './bearer-credential.js';
import type { Principal } from '../principals/principal.js';
import { SignInLimits } from './sign-in-limits.js';
import { securityActorOf } from '../security/security-actor.js';
import { SecurityEventFeed } from '../security/security-event-feed.js';
import { ClientAddress } from '../request/client-address.js';
import { requestIdOf, routeOf, type HttpRequest } from '../request/http-request.js';

const ONCE_PER_MS = 3_600_000;
const CAPACITY = 10_000;

/** Reports accepted credentials as events, and counts refused ones. */
@Injectable()
export class SignIns {
  private readonly told = new LRUCache<string, number>(boundedBy(CAPACITY));

  constructor(
    private readonly limits: SignInLimits,
    private readonly events: SecurityEventFeed,
    private readonly addresses: ClientAddress,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts a request with a refused credential. Requests without a credential do not count.
   * @throws RateLimitedError if there were too many failed sign-ins from the address
   */
  failed(request: HttpRequest): void {
    if (bearerCredentialOf(request) !== null) this.limits.countFailure(request);
  }

  /** Reports an accepted credential, at most once an hour for each pair of credential and address. */
  accepted(request: HttpRequest, principal: Principal): void {
    const at = this.clock.now();
    const address = this.addresses.of(request);
    const key = `${principal.orgId} ${principal.kind} ${principal.id} ${address ?? ''}`;
    const last = this.told.get(key);
    if (last !== undefined && at.getTime() - last < ONCE_PER_MS) return;
    this.told.set(key, at.getTime());
    this.events.record({
      ...{ type: 'sign_in', at, actor: securityActorOf(principal), address, reason: 'A credential was accepted.' },
      ...{ requestId: requestIdOf(request), route: routeOf(request) },
    });
  }
}

import { Injectable } from '@nestjs/common';
import { Clock, type ErrorCode } from '#core';
import { securityActorOf } from '../security/security-actor.js';
import { SecurityEventFeed } from '../security/security-event-feed.js';
import type { SecurityEventType } from '../security/security-events.port.js';
import { knownActorOf } from './actor.js';
import { ClientAddress } from '../request/client-address.js';
import { requestIdOf, routeOf, type HttpRequest } from '../request/http-request.js';

const TYPES: Partial<Record<ErrorCode, SecurityEventType>> = {
  unauthorized: 'sign_in_failed',
  forbidden: 'access_denied',
  rate_limited: 'rate_limited',
};

/** Reports refused requests as security events. */
@Injectable()
export class Refusals {
  constructor(
    private readonly events: SecurityEventFeed,
    private readonly addresses: ClientAddress,
    private readonly clock: Clock,
  ) {}

  /** Records a security event if the error code is relevant to security. */
  note(request: HttpRequest, code: ErrorCode, reason: string): void {
    const type = TYPES[code];
    if (!type) return;
    const address = this.addresses.of(request);
    const at = this.clock.now();
    const known = knownActorOf(request);
    const actor = known ? securityActorOf(known) : null;
    this.events.record({ type, at, actor, address, requestId: requestIdOf(request), route: routeOf(request), reason });
  }
}

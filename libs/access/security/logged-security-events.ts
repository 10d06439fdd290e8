import { metrics } from '@opentelemetry/api';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock, METER } from '#core';
import { TokenBuckets } from '../limits/token-buckets.js';
import { SecurityEvents, type SecurityEvent, type SecurityEventType } from './security-events.port.js';

/**
 * Burst limit of log lines, and sustained lines per second. Each event type has its own limit, so that many refusals
 * cannot suppress the line of a revocation.
 */
const LINES_AT_ONCE = 60;
const LINES_PER_SECOND = 1;
/** Interval in which the number of omitted lines is logged. */
const SUMMARY_MS = 10_000;
/** Maximum number of addresses in a summary. Events from all other addresses are counted together. */
const ADDRESSES_NAMED = 10;
const OTHER_ADDRESSES = 'others';

/**
 * Logs each event as one line of JSON. In a flood of events, logs only some of them, and summarizes the rest by
 * address.
 */
@Injectable()
export class LoggedSecurityEvents extends SecurityEvents implements OnModuleDestroy {
  private readonly logger = new Logger('GovernanceSecurity');
  private readonly lines = new TokenBuckets(LINES_AT_ONCE, LINES_PER_SECOND);
  private readonly counter = metrics.getMeter(METER).createCounter('governance.security.events', {
    description: 'Sign-ins, refusals and revocations, those included that were left out of the log',
    unit: '{event}',
  });
  private leftOut = new Map<SecurityEventType, Map<string, number>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly clock: Clock) {
    super();
  }

  record(event: SecurityEvent): void {
    this.counter.add(1, { 'governance.event': event.type });
    if (this.lines.take(event.type, this.clock.now().getTime()) > 0) this.leaveOut(event);
    else if (event.type === 'sign_in') this.logger.log(lineOf(event));
    else this.logger.warn(lineOf(event));
  }

  onModuleDestroy(): void {
    this.summarize();
  }

  private leaveOut({ type, address }: SecurityEvent): void {
    const counts = this.leftOut.get(type) ?? new Map<string, number>();
    this.leftOut.set(type, counts);
    const from = address ?? 'unknown';
    const key = counts.has(from) || counts.size < ADDRESSES_NAMED ? from : OTHER_ADDRESSES;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    this.timer ??= setTimeout(() => this.summarize(), SUMMARY_MS).unref();
  }

  private summarize(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const leftOut = this.leftOut;
    this.leftOut = new Map();
    for (const [type, counts] of leftOut) {
      const count = [...counts.values()].reduce((sum, each) => sum + each, 0);
      this.logger.warn(
        JSON.stringify({ event: 'left_out', of: type, count, addresses: Object.fromEntries(counts), at: this.now() }),
      );
    }
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

/** Characters that JSON does not escape, but that terminals or line readers may interpret. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029]/g;

/** An event as one line of JSON. */
function lineOf({ type, at, actor, address, requestId, route, reason, target }: SecurityEvent): string {
  const line = JSON.stringify({
    event: type,
    at: at.toISOString(),
    org_id: actor?.orgId ?? null,
    actor: actor && { kind: actor.kind, id: actor.id, user_id: actor.userId ?? null },
    address,
    request_id: requestId,
    route,
    reason,
    ...(target && { target }),
  });
  return line.replace(UNPRINTABLE, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

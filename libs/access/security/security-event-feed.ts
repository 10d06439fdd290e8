import { Injectable } from '@nestjs/common';
import { SecurityEvents, type SecurityEvent } from './security-events.port.js';

/** Passes each security event to the port, which a host may implement, and to listeners within this package. */
@Injectable()
export class SecurityEventFeed {
  private readonly listeners: ((event: SecurityEvent) => void)[] = [];

  constructor(private readonly events: SecurityEvents) {}

  /** Adds a listener. Call it during module initialization. The listener must be fast and must not throw. */
  addListener(listener: (event: SecurityEvent) => void): void {
    this.listeners.push(listener);
  }

  record(event: SecurityEvent): void {
    this.events.record(event);
    for (const listener of this.listeners) listener(event);
  }
}

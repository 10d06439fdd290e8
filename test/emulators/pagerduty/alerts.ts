import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '#core';

/** An alert of a service, with its history. */
export interface Alert {
  readonly id: string;
  readonly routingKey: string;
  readonly dedupKey: string;
  status: 'triggered' | 'acknowledged' | 'resolved';
  /** The payload of the event that opened the alert. */
  readonly payload: JsonObject;
  readonly links: Json[];
  /** One entry for each event that applied to the alert. */
  readonly log: { readonly action: EventAction; readonly at: Date; readonly payload: JsonObject }[];
}

export type EventAction = 'trigger' | 'acknowledge' | 'resolve';

/** An event that has passed all checks. */
export interface AlertEvent {
  readonly routingKey: string;
  readonly action: EventAction;
  readonly dedupKey: string | undefined;
  readonly payload: JsonObject;
  readonly links: Json[];
}

/** The alerts of an account, and how events apply to them. */
export class Alerts {
  readonly all: Alert[] = [];
  /** Accepted events that applied to no alert. */
  readonly dropped: AlertEvent[] = [];
  /** The clock of the account. */
  now = (): Date => new Date();

  /** The alert to which events with these keys apply. Events do not apply to resolved alerts. */
  open(routingKey: string, dedupKey: string): Alert | undefined {
    return this.all.find(
      alert => alert.routingKey === routingKey && alert.dedupKey === dedupKey && alert.status !== 'resolved',
    );
  }

  /**
   * Applies an event (https://developer.pagerduty.com/docs/events-api-v2/overview/, "Alert De-Duplication" and "Event
   * Action Behavior"). A trigger opens an alert, or is added to the open alert. Any other event is dropped if its
   * routing key has no open alert with its deduplication key.
   * @returns the deduplication key, generated if the event has none
   */
  apply(event: AlertEvent): string {
    const { routingKey, action, payload, links } = event;
    const dedupKey = event.dedupKey ?? randomUUID().replaceAll('-', '');
    const open = this.open(routingKey, dedupKey);
    const entry = { action, at: this.now(), payload };
    if (open) {
      open.log.push(entry);
      if (action === 'acknowledge') open.status = 'acknowledged';
      if (action === 'resolve') open.status = 'resolved';
    } else if (action === 'trigger') {
      const id = `PD${this.all.length + 1}`;
      this.all.push({ id, routingKey, dedupKey, status: 'triggered', payload, links, log: [entry] });
    } else {
      this.dropped.push(event);
    }
    return dedupKey;
  }
}

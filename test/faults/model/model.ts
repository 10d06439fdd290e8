import type { FiredEvent } from '#outbox';
import { ModelDelivery } from './model-delivery.js';

const HOUR_MS = 3_600_000;

/** The expected state of a webhook. */
export class ModelWebhook {
  readonly deliveries: ModelDelivery[] = [];
  isDeleted = false;
  previous: { secret: string; until: number } | undefined;

  constructor(
    readonly id: string,
    /** The last part of the webhook's URL. */
    readonly endpointId: string,
    /** The subscribed event type; null: all. */
    readonly type: string | null,
    public enabled: boolean,
    public secret: string,
  ) {}

  rotate(secret: string, overlapHours: number, now: number): void {
    this.previous = overlapHours > 0 ? { secret: this.secret, until: now + overlapHours * HOUR_MS } : undefined;
    this.secret = secret;
  }

  delete(): void {
    this.isDeleted = true;
    for (const delivery of this.deliveries) delivery.cancel();
  }

  /** The secrets that must sign a request now. */
  secretsInForce(now: number): [current: string, previous?: string] {
    return this.previous && now < this.previous.until ? [this.secret, this.previous.secret] : [this.secret];
  }
}

/** The expected state: the webhooks of one history and all their deliveries. */
export class Model {
  readonly webhooks: ModelWebhook[] = [];

  constructor(public now: number) {}

  get living(): ModelWebhook[] {
    return this.webhooks.filter(webhook => !webhook.isDeleted);
  }

  get deliveries(): { webhook: ModelWebhook; delivery: ModelDelivery }[] {
    return this.webhooks.flatMap(webhook => webhook.deliveries.map(delivery => ({ webhook, delivery })));
  }

  /** The deliveries to attempt now. */
  get due(): { webhook: ModelWebhook; delivery: ModelDelivery }[] {
    return this.deliveries.filter(({ webhook, delivery }) => webhook.enabled && delivery.isDue(this.now));
  }

  /** The time when the next attempt becomes due without a command; undefined if there is none. */
  get nextDue(): number | undefined {
    const times = this.deliveries.flatMap(({ webhook, delivery }) =>
      webhook.enabled && delivery.coming ? [delivery.coming.due] : [],
    );
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  fire(events: readonly FiredEvent[]): void {
    for (const event of events) {
      for (const webhook of this.living) {
        if (webhook.type === null || webhook.type === event.type) {
          webhook.deliveries.push(new ModelDelivery(event, this.now));
        }
      }
    }
  }

  /** Gives every failed delivery of the webhook since a time one more attempt. */
  recover(webhook: ModelWebhook, since: number): void {
    for (const delivery of webhook.deliveries) {
      if (delivery.status === 'failed' && delivery.createdAt >= since) delivery.reopen('recovery', this.now);
    }
  }
}

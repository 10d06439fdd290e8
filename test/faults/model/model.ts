import type { FiredEvent } from '#outbox';
import { ModelDelivery } from './model-delivery.js';

const HOUR_MS = 3_600_000;

/** A webhook as it should be. */
export class ModelWebhook {
  readonly deliveries: ModelDelivery[] = [];
  isDeleted = false;
  previous: { secret: string; until: number } | undefined;

  constructor(
    readonly id: string,
    /** The end of its URL. */
    readonly door: string,
    /** The type that it subscribes to; null: all. */
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

  /** The secrets whose signatures a request must bear now. */
  secretsInForce(now: number): [current: string, previous?: string] {
    return this.previous && now < this.previous.until ? [this.secret, this.previous.secret] : [this.secret];
  }
}

/** What should be: the webhooks of one history and everything that was to be delivered to them. */
export class Model {
  readonly webhooks: ModelWebhook[] = [];

  constructor(public now: number) {}

  get living(): ModelWebhook[] {
    return this.webhooks.filter(webhook => !webhook.isDeleted);
  }

  get deliveries(): { webhook: ModelWebhook; delivery: ModelDelivery }[] {
    return this.webhooks.flatMap(webhook => webhook.deliveries.map(delivery => ({ webhook, delivery })));
  }

  /** What is to be attempted now. */
  get due(): { webhook: ModelWebhook; delivery: ModelDelivery }[] {
    return this.deliveries.filter(({ webhook, delivery }) => webhook.enabled && delivery.isDue(this.now));
  }

  /** When something is to be attempted next without anybody's doing, or undefined. */
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

  /** Every delivery of the webhook that has failed and was made since a time gets one more attempt. */
  recover(webhook: ModelWebhook, since: number): void {
    for (const delivery of webhook.deliveries) {
      if (delivery.status === 'failed' && delivery.createdAt >= since) delivery.reopen('recovery', this.now);
    }
  }
}

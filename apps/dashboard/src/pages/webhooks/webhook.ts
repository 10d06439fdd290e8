import type { ItemOf } from '../../data/use-api.ts';

/** An endpoint that is told of events. */
export type Webhook = ItemOf<'listWebhooks'>;

/** One event on its way to one endpoint. */
export type Delivery = ItemOf<'listDeliveries'>;

/** Attempts that the schedule makes of a delivery. */
export const SCHEDULED = 5;

/** What `Mark` shows for an endpoint, and its word. */
export function healthOf({ enabled, health }: Webhook): readonly [mark: string, word: string] {
  if (!enabled) return ['paused', 'Paused'];
  if (health.state === 'healthy') return ['delivered', 'Healthy'];
  if (health.state === 'failing') return ['failed', 'Failing'];
  return ['unknown', 'No deliveries'];
}

/** A length of time that something took: `84 ms`, `4.0 s`. */
export function took(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

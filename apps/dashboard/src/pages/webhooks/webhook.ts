import type { ItemOf } from '../../data/use-api.ts';

/** A webhook. */
export type Webhook = ItemOf<'listWebhooks'>;

/** The delivery of one event to one webhook. */
export type Delivery = ItemOf<'listDeliveries'>;

/** Number of scheduled attempts per delivery. */
export const SCHEDULED = 5;

/** The mark of a webhook's health, and its label. */
export function healthOf({ enabled, health }: Webhook): readonly [mark: string, word: string] {
  if (!enabled) return ['paused', 'Paused'];
  if (health.state === 'healthy') return ['delivered', 'Healthy'];
  if (health.state === 'failing') return ['failed', 'Failing'];
  return ['unknown', 'No deliveries'];
}

/** A duration: `84 ms`, `4.0 s`. */
export function took(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds}\u00A0ms` : `${(milliseconds / 1_000).toFixed(1)}\u00A0s`;
}

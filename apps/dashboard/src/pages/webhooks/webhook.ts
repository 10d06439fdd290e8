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

/** The last finished attempt of some deliveries. */
export function lastAttempt(deliveries: readonly Delivery[]): Delivery['attempts'][number] | undefined {
  return deliveries
    .flatMap(({ attempts }) => attempts)
    .filter(({ duration_ms }) => duration_ms !== null)
    .toSorted((one, other) => other.started_at.localeCompare(one.started_at))[0];
}

/** The answer to an attempt, or why there is none: `HTTP 500`, `connect ECONNREFUSED`. */
export function answerOf({ http_status, error }: Delivery['attempts'][number]): string {
  return http_status === null ? (error ?? 'No response') : `HTTP ${http_status}`;
}

/** A duration: `84 ms`, `4.0 s`. */
export function took(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds}\u00A0ms` : `${(milliseconds / 1_000).toFixed(1)}\u00A0s`;
}

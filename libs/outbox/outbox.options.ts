import { option } from '#core';

/** Options of background work. */
export interface OutboxOptions {
  /** Whether this process runs background work: webhooks, listeners, tickets. Default: true. */
  workers?: boolean;
  /** Milliseconds between polls for tasks whose notification was lost. Default: 1,000. */
  pollIntervalMs?: number;
  /** Days for which events, deliveries and attempts are kept. Default: 30. */
  retentionDays?: number;
}

/** Rules of {@link OutboxOptions}. */
export const OUTBOX_RULES = {
  workers: option.flag(),
  // Node.js fires timers with a longer delay immediately.
  pollIntervalMs: option.whole(1, 2 ** 31 - 1),
  retentionDays: option.whole(1, 1_000_000),
} satisfies option.RulesOf<OutboxOptions>;

/** Injection token of {@link OutboxOptions}. */
export const OUTBOX_OPTIONS = Symbol('governance.outbox-options');

import { option } from '#core';

/** How background work is done. */
export interface OutboxOptions {
  /** Whether this process runs background work: webhooks, listeners, tickets. Default: true. */
  workers?: boolean;
  /** Milliseconds between polls for jobs whose notification was lost. Default: 1,000. */
  pollIntervalMs?: number;
  /** Days for which events, deliveries and attempts are kept. Default: 30. */
  retentionDays?: number;
}

/** What the options may be. */
export const OUTBOX_RULES = {
  workers: option.flag(),
  // A longer timer fires at once.
  pollIntervalMs: option.whole(1, 2 ** 31 - 1),
  retentionDays: option.whole(1, 1_000_000),
} satisfies option.RulesOf<OutboxOptions>;

/** Injection token of {@link OutboxOptions}. */
export const OUTBOX_OPTIONS = Symbol('governance.outbox-options');

/** How background work is done. */
export interface OutboxOptions {
  /** Whether this process carries out background work: webhooks, listeners, tickets. Default: true. */
  workers?: boolean;
  /** Milliseconds between two looks for work whose notification was lost. Default: 1,000. */
  pollIntervalMs?: number;
  /** Days for which events, deliveries and attempts are kept. Default: 30. */
  retentionDays?: number;
}

/** Injection token of {@link OutboxOptions}. */
export const OUTBOX_OPTIONS = Symbol('governance.outbox-options');

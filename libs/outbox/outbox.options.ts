/** How background work is done. */
export interface OutboxOptions {
  /** Whether this process carries out background work: webhooks, listeners, tickets. Default: true. */
  workers?: boolean;
  /** Milliseconds between two looks for work whose notification was lost. Default: 1,000. */
  pollIntervalMs?: number;
  /** Days for which events, deliveries and attempts are kept. Default: 30. */
  retentionDays?: number;
}

/** A number of the options. @throws Error where it is not a whole one from 1 on */
export function wholeOption(
  options: OutboxOptions,
  name: 'pollIntervalMs' | 'retentionDays',
  otherwise: number,
): number {
  const value = options[name] ?? otherwise;
  // A longer timer than this fires at once.
  if (Number.isInteger(value) && value >= 1 && value <= 2 ** 31 - 1) return value;
  throw new Error(`outbox.${name}: must be a whole number from 1 on, and is ${value}`);
}

/** Injection token of {@link OutboxOptions}. */
export const OUTBOX_OPTIONS = Symbol('governance.outbox-options');

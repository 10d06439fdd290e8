import { option } from '#core';

/** How tickets are opened. */
export interface ItsmOptions {
  /** What tickets call this service: `[Service] policy_violation: …`. Default: `webhooks.serviceName`, or `Service`. */
  serviceName?: string;
  /**
   * Under which address people reach the routes of this module, such as `https://governance.example.com`. Tickets then
   * link to their incident. Default: `devices.publicUrl`.
   */
  publicUrl?: string;
  /** Tickets that one process opens at the same time. Default: 32. */
  concurrency?: number;
  /** How many of them by one connector. Default: 16. */
  concurrencyPerConnector?: number;
  /**
   * Minutes after which platforms are asked again where tickets stand that are not closed, from 1 to 1,440: for platforms
   * that cannot report it themselves, and for reports that were lost. Default: never.
   */
  reconcileMinutes?: number;
}

/** What the options may be. */
export const ITSM_RULES = {
  serviceName: option.text(),
  publicUrl: option.webAddress(),
  concurrency: option.whole(1, 10_000),
  concurrencyPerConnector: option.whole(1, 10_000),
  reconcileMinutes: option.whole(1, 1_440, ' (leave it out for never)'),
} satisfies option.RulesOf<ItsmOptions>;

/** Injection token of {@link ItsmOptions}. */
export const ITSM_OPTIONS = Symbol('governance.itsm-options');

/** Injection token of the adapters of this process, a list. */
export const ITSM_ADAPTERS = Symbol('governance.itsm-adapters');

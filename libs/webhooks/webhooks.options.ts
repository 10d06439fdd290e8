import { option } from '#core';
import { signatureHeaderName } from './decide/index.js';

/** Options of webhooks. */
export interface WebhooksOptions {
  /** Name of the service, for the header `X-<serviceName>-Signature`. Default: `Service`. */
  serviceName?: string;
  /** Maximum number of concurrent attempts of one process. Default: 256. */
  concurrency?: number;
  /** Maximum number of concurrent attempts of one process to the same webhook. Default: 16. */
  concurrencyPerWebhook?: number;
  /**
   * Hours between two `audit_anchor` events. These events contain the latest entry of the audit log, and go to webhooks
   * that name this type. 0 for never. Default: 24.
   */
  auditAnchorHours?: number;
}

/** Rules of {@link WebhooksOptions}. */
export const WEBHOOKS_RULES = {
  serviceName: option.readable(option.isText, 'a text', signatureHeaderName),
  concurrency: option.whole(1, 10_000),
  concurrencyPerWebhook: option.whole(1, 10_000),
  auditAnchorHours: option.whole(0, 8_760, ' (0: never)'),
} satisfies option.RulesOf<WebhooksOptions>;

/** Injection token of {@link WebhooksOptions}. */
export const WEBHOOKS_OPTIONS = Symbol('governance.webhooks-options');

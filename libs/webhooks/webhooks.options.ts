import { option } from '#core';
import { signatureHeaderName } from './decide/index.js';

/** How webhooks are sent. */
export interface WebhooksOptions {
  /** What receivers know the service as: it stands in the header `X-<serviceName>-Signature`. Default: `Service`. */
  serviceName?: string;
  /** Attempts that one process makes at the same time. Default: 256. */
  concurrency?: number;
  /** How many of them to one webhook. Default: 16. */
  concurrencyPerWebhook?: number;
  /**
   * Hours between two events `audit_anchor`, which carry the end of the audit log to the webhooks that name this type; 0
   * for never. Default: 24.
   */
  auditAnchorHours?: number;
}

/** What the options may be. */
export const WEBHOOKS_RULES = {
  serviceName: option.readable(option.isText, 'a text', signatureHeaderName),
  concurrency: option.whole(1, 10_000),
  concurrencyPerWebhook: option.whole(1, 10_000),
  auditAnchorHours: option.whole(0, 8_760, ' (0: never)'),
} satisfies option.RulesOf<WebhooksOptions>;

/** Injection token of {@link WebhooksOptions}. */
export const WEBHOOKS_OPTIONS = Symbol('governance.webhooks-options');

/** How webhooks are sent. */
export interface WebhooksOptions {
  /** What receivers know the service as: it stands in the header `X-<serviceName>-Signature`. Default: `Service`. */
  serviceName?: string;
  /** Attempts that one process makes at the same time. Default: 256. */
  concurrency?: number;
  /** How many of them to one webhook. Default: 16. */
  concurrencyPerWebhook?: number;
}

/** Injection token of {@link WebhooksOptions}. */
export const WEBHOOKS_OPTIONS = Symbol('governance.webhooks-options');

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

/** Injection token of {@link WebhooksOptions}. */
export const WEBHOOKS_OPTIONS = Symbol('governance.webhooks-options');

import { option } from '#core';

/** Options of the ITSM library. */
export interface ItsmOptions {
  /** Name of the service in tickets: `[Service] policy_violation: …`. Default: `webhooks.serviceName`, or `Service`. */
  serviceName?: string;
  /**
   * Public address of this module's routes, such as `https://governance.example.com`. Default: `devices.publicUrl`.
   */
  publicUrl?: string;
  /**
   * Public address of the dashboard, such as `https://governance.example.com`. Tickets and chat messages contain links
   * to it. Without this address, they have no link. Default: `itsm.publicUrl` and the path of the dashboard, if this
   * module serves it.
   */
  dashboardUrl?: string;
  /** Maximum number of tickets that one process opens in parallel. Default: 32. */
  concurrency?: number;
  /** Maximum number of tickets that one process opens in parallel through one connector. Default: 16. */
  concurrencyPerConnector?: number;
  /**
   * Minutes between polls of ticket platforms for the status of tickets, from 1 to 1,440. Use this for platforms that
   * cannot send reports, and because a report may be lost. Default: never.
   */
  reconcileMinutes?: number;
  /**
   * Days for which tickets are kept after their last change, from 30 to 36,500. Tickets that are in flight or open are
   * kept longer. The tickets on the platforms are never deleted. Default: forever.
   */
  retentionDays?: number;
  /**
   * Origins to which delayed answers of chat commands may be sent, such as that of a proxy in front of Slack. They
   * replace the origins of the platform. Each consists of `https://` and a host. Default: the origins of the platform,
   * for Slack `https://hooks.slack.com` and `https://hooks.slack-gov.com`.
   */
  chatReplyOrigins?: readonly string[];
  /**
   * Origin of Slack's Web API, to which notifications are sent: `https://slack-gov.com` for workspaces of GovSlack.
   * Default: `https://slack.com`.
   */
  slackApiOrigin?: string;
}

/** Checks the origins. @throws Error naming the invalid entry */
function checkOrigin(entry: string, example = 'https://hooks.slack.com'): void {
  const url = URL.parse(entry);
  if (url?.protocol === 'https:' && url.origin === entry.replace(/\/$/, '')) return;
  throw new Error(`${JSON.stringify(entry)} is not an origin such as ${example}`);
}

/** Address of the dashboard, without a slash at its end; null if none is known. */
export function dashboardOf({ dashboardUrl }: ItsmOptions): string | null {
  return dashboardUrl?.replace(/\/+$/, '') ?? null;
}

/** Validation rules of the options. */
export const ITSM_RULES = {
  serviceName: option.text(),
  publicUrl: option.webAddress(),
  dashboardUrl: option.webAddress(),
  concurrency: option.whole(1, 10_000),
  concurrencyPerConnector: option.whole(1, 10_000),
  reconcileMinutes: option.whole(1, 1_440, ' (leave it out for never)'),
  retentionDays: option.whole(30, 36_500, ' (leave it out to keep tickets forever)'),
  chatReplyOrigins: option.readable(option.isTextList, 'a list of texts', (entries: readonly string[]) =>
    entries.forEach(entry => checkOrigin(entry)),
  ),
  slackApiOrigin: option.readable(option.isText, 'a text', (entry: string) =>
    checkOrigin(entry, 'https://slack-gov.com'),
  ),
} satisfies option.RulesOf<ItsmOptions>;

/** Injection token of {@link ItsmOptions}. */
export const ITSM_OPTIONS = Symbol('governance.itsm-options');

/** Injection token of the list of adapters of this process. */
export const ITSM_ADAPTERS = Symbol('governance.itsm-adapters');

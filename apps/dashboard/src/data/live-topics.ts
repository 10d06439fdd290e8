import type { Operation } from './call.ts';

/**
 * A topic of the live stream. One of the scopes is needed to follow it; `touches` lists what to refetch after a change.
 */
interface Topic {
  readonly scopes: readonly string[];
  /**
   * Operations to refetch. Long lists in descending time order are not included: their rows must not move under the
   * cursor, so the page shows a notice instead.
   */
  readonly touches: readonly Operation[];
  /** Whether it changes with nearly every request. It is then refetched less often. */
  readonly isBusy?: boolean;
}

/** All topics that the page can follow. They share one stream. */
export const TOPICS = {
  incidents: {
    scopes: ['incidents:read', 'incidents:read:own'],
    touches: ['getIncident', 'listIncidentTimeline', 'getOverview'],
  },
  tickets: { scopes: ['itsm:read'], touches: ['listTickets', 'getTicket', 'listIncidentTimeline', 'getOverview'] },
  connectors: { scopes: ['itsm:read'], touches: ['listConnectors', 'getConnector', 'getOverview'] },
  approvals: {
    scopes: ['approvals:read', 'approvals:read:own'],
    touches: ['listApprovals', 'getApproval', 'getOverview'],
  },
  policies: {
    scopes: ['policies:read'],
    touches: ['listPolicies', 'getPolicy', 'listPolicyVersions', 'getOverview'],
  },
  decisions: {
    scopes: ['decisions:read'],
    touches: ['listPolicyHits', 'listPolicyHitWindows'],
    isBusy: true,
  },
  usage: {
    scopes: ['usage:read', 'usage:read:own'],
    touches: ['getUsageSeries', 'listBudgets', 'getBudget', 'listBudgetParts', 'listBudgetHistory', 'getOverview'],
    isBusy: true,
  },
  budgets: {
    scopes: ['budgets:read'],
    touches: ['listBudgets', 'getBudget', 'listBudgetParts', 'listBudgetHistory', 'getOverview'],
  },
  limits: { scopes: ['budgets:read'], touches: ['listLimits', 'getLimit'] },
  prices: { scopes: ['prices:read'], touches: ['listPrices', 'listUnpricedModels', 'listReratings'] },
  deliveries: {
    scopes: ['webhooks:read'],
    touches: ['listDeliveries', 'getDeliveryExchange', 'listIncidentTimeline', 'getOverview'],
  },
  webhooks: { scopes: ['webhooks:read'], touches: ['listWebhooks', 'getWebhook', 'getWebhookHealth', 'getOverview'] },
  anomalies: { scopes: ['anomalies:read'], touches: ['listAnomalies', 'getAnomaly', 'getOverview'] },
  users: { scopes: ['users:read'], touches: ['getUser', 'getOverview'] },
  devices: { scopes: ['devices:read'], touches: ['listDevices', 'getDevice'] },
  audit: { scopes: ['audit:read'], touches: [] },
} as const satisfies Record<string, Topic>;

/** Name of a topic. */
export type TopicName = keyof typeof TOPICS;

const NAMES: readonly TopicName[] = Object.keys(TOPICS).filter(name => isTopic(name));

/** Whether a text names a topic. */
export function isTopic(name: unknown): name is TopicName {
  return typeof name === 'string' && Object.hasOwn(TOPICS, name);
}

/** The topics that a person with these scopes may follow, as the query of the stream. */
export function topicsFor(scopes: readonly string[]): string {
  return NAMES.filter(name => TOPICS[name].scopes.some(scope => scopes.includes(scope))).join(',');
}

/** Operations to refetch after changes of topics, either of busy topics only or of all others. */
export function touchedBy(names: Iterable<TopicName>, isBusy: boolean): Set<unknown> {
  const topics = [...names].map((name): Topic => TOPICS[name]).filter(topic => (topic.isBusy ?? false) === isBusy);
  return new Set(topics.flatMap(({ touches }) => touches));
}

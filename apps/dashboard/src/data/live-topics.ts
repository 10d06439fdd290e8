import type { Operation } from './call.ts';

/**
 * A topic of the live stream. A person needs one of the scopes to follow it. `touches` lists what the page refetches
 * after a change.
 */
interface Topic {
  readonly scopes: readonly string[];
  /**
   * Operations to refetch. Long lists in descending time order are not included. The page shows a notice for them
   * instead, because their rows must not move under the pointer.
   */
  readonly touches: readonly Operation[];
  /** Whether the topic changes with nearly every request. Its operations are then refetched less often. */
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

/** The topics that a person with these scopes may follow, in the form of the stream's query. */
export function topicsFor(scopes: readonly string[]): string {
  return NAMES.filter(name => TOPICS[name].scopes.some(scope => scopes.includes(scope))).join(',');
}

/** Returns the operations to refetch after changes of topics: for busy topics only, or for all other topics. */
export function touchedBy(names: Iterable<TopicName>, isBusy: boolean): Set<unknown> {
  const topics = [...names].map((name): Topic => TOPICS[name]).filter(topic => (topic.isBusy ?? false) === isBusy);
  return new Set(topics.flatMap(({ touches }) => touches));
}

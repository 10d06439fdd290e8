import { SEVERITIES, type Severity } from '#core';

/**
 * Selects the incidents that get tickets automatically. An incident must meet every condition. Without conditions,
 * every incident gets a ticket.
 */
export interface Routing {
  readonly min_severity?: Severity;
  /** Ids of policies. An incident without a policy, such as an anomaly, does not match any list. */
  readonly policies?: readonly string[];
  /**
   * Exact names of departments. An incident without a user, or whose user has no department, does not match any list.
   */
  readonly departments?: readonly string[];
}

/** A routing as it is stored. This is a type alias, because TypeScript does not accept an interface as JSON. */
export type KeptRouting = { min_severity?: Severity; policies?: string[]; departments?: string[] };

/** Properties of an incident that a routing compares. */
export interface RoutedIncident {
  readonly severity: Severity;
  readonly policyId: string | null;
  readonly department: string | null;
}

/** Properties of a connector that decide whether it opens a ticket. */
interface RoutedConnector {
  readonly active: boolean;
  /** Whether the connector has a problem that a person must correct. */
  readonly isPaused: boolean;
  readonly routing: Routing;
}

/** Reason why a connector opens a ticket for an incident, or why it does not. */
export const ROUTE_REASONS = [
  'matches',
  'paused',
  'inactive',
  'below_min_severity',
  'policy_not_listed',
  'department_not_listed',
] as const;

/** One of {@link ROUTE_REASONS}. */
export type RouteReason = (typeof ROUTE_REASONS)[number];

/**
 * Whether a connector opens a ticket for an incident, with the reasons. If it does not, all reasons against it are
 * listed.
 */
export interface TicketRoute {
  readonly opensTicket: boolean;
  readonly reasons: readonly { readonly code: RouteReason; readonly message: string }[];
}

/** Whether the routing accepts an incident. */
export function letsThrough(routing: Routing, incident: RoutedIncident): boolean {
  return unmetBy(routing, incident).length === 0;
}

/** Decides whether a connector opens a ticket for a new incident. A connector that is paused opens the ticket later. */
export function routeOf({ active, isPaused, routing }: RoutedConnector, incident: RoutedIncident): TicketRoute {
  const against: RouteReason[] = [...(active ? [] : ['inactive' as const]), ...unmetBy(routing, incident)];
  const codes: RouteReason[] = against.length > 0 ? against : ['matches', ...(isPaused ? ['paused' as const] : [])];
  return {
    opensTicket: against.length === 0,
    reasons: codes.map(code => ({ code, message: SENTENCES[code](routing) })),
  };
}

/** Normalizes a routing for storage: ids in lower case, no duplicates. */
export function keptRouting({ min_severity, policies, departments }: Routing): KeptRouting {
  return {
    ...(min_severity && { min_severity }),
    ...(policies && { policies: [...new Set(policies.map(id => id.toLowerCase()))] }),
    ...(departments && { departments: [...new Set(departments)] }),
  };
}

function unmetBy({ min_severity, policies, departments }: Routing, incident: RoutedIncident): RouteReason[] {
  const { severity, policyId, department } = incident;
  const unmet: RouteReason[] = [];
  // SEVERITIES is in the order from critical to low.
  if (min_severity && SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(min_severity)) unmet.push('below_min_severity');
  if (policies && (policyId === null || !policies.includes(policyId.toLowerCase()))) unmet.push('policy_not_listed');
  if (departments && (department === null || !departments.includes(department))) unmet.push('department_not_listed');
  return unmet;
}

const SENTENCES: Record<RouteReason, (routing: Routing) => string> = {
  matches: () => 'The connector is active, and the incident meets its routing.',
  paused: () => 'The connector has a problem; the ticket waits until you solve it.',
  inactive: () => 'The connector is switched off; set active to true.',
  below_min_severity: ({ min_severity }) => `The connector opens tickets from severity ${min_severity} on.`,
  policy_not_listed: () =>
    'The connector opens tickets for listed policies only; the one of the incident is not listed.',
  department_not_listed: () =>
    'The connector opens tickets for listed departments only; the one of the incident is not listed.',
};

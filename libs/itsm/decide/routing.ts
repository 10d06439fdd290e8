import { SEVERITIES, type Severity } from '#core';

/** Selects incidents that get tickets automatically: those that meet every condition. Without conditions: all. */
export interface Routing {
  readonly min_severity?: Severity;
  /** Policy ids. An incident without a policy, such as an anomaly, matches no list. */
  readonly policies?: readonly string[];
  /** Exact names. An incident without a user, or with a user without a department, matches no list. */
  readonly departments?: readonly string[];
}

/** Routing as stored. A type alias, because TypeScript accepts no interface as JSON. */
export type KeptRouting = { min_severity?: Severity; policies?: string[]; departments?: string[] };

/** Properties of an incident that routing compares. */
export interface RoutedIncident {
  readonly severity: Severity;
  readonly policyId: string | null;
  readonly department: string | null;
}

/** Properties of a connector that decide whether it opens a ticket. */
interface RoutedConnector {
  readonly active: boolean;
  /** Whether the connector has a problem that a person must fix. */
  readonly isPaused: boolean;
  readonly routing: Routing;
}

/** Why a connector opens a ticket for an incident, or does not. */
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

/** Whether a connector opens a ticket for an incident: all reasons against it, or the reasons for it. */
export interface TicketRoute {
  readonly opensTicket: boolean;
  readonly reasons: readonly { readonly code: RouteReason; readonly message: string }[];
}

/** Whether the routing accepts an incident. */
export function letsThrough(routing: Routing, incident: RoutedIncident): boolean {
  return unmetBy(routing, incident).length === 0;
}

/** Decides whether a connector opens a ticket for a new incident. A paused connector opens it later. */
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
  // SEVERITIES is ordered from critical to low.
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

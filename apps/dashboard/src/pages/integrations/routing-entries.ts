import { capital } from '../../data/format.ts';
import type { ItemOf } from '../../data/use-api.ts';

/** Conditions for the incidents that get a ticket or a notification. */
export type Routing = ItemOf<'listConnectors'>['routing'];

/** Severities, highest first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** Values of the fields of the routing form. */
export interface RoutingEntries {
  min_severity: string;
  policies: string[];
  /** Names of departments, separated by commas. */
  departments: string;
}

/** Initial values of the form. */
export function entriesOf(routing: Routing | undefined): RoutingEntries {
  const { min_severity = '', policies = [], departments = [] } = routing ?? {};
  return { min_severity, policies: [...policies], departments: departments.join(', ') };
}

/** Converts the input to the API's format. */
export function routingOf({ min_severity, policies, departments }: RoutingEntries): Routing {
  const severity = SEVERITIES.find(each => each === min_severity);
  const names = departments.split(',').map(name => name.trim());
  const kept = [...new Set(names)].filter(name => name !== '');
  return {
    ...(severity !== undefined && { min_severity: severity }),
    ...(policies.length > 0 && { policies: [...policies] }),
    ...(kept.length > 0 && { departments: kept }),
  };
}

/** Describes in words for which incidents a connector opens tickets. */
export function routingInWords(routing: Routing): string {
  const { min_severity, ...lists } = routing;
  const severity = min_severity === undefined || min_severity === 'low' ? [] : [`severity ${orWorse(min_severity)}`];
  const parts = [...severity, ...listsInWords(lists)];
  return parts.length === 0 ? 'All incidents' : capital(parts.join('; '));
}

/** The lists of a routing in words. */
export function listsInWords({ policies, departments }: Omit<Routing, 'min_severity'>): string[] {
  return [
    ...(policies === undefined ? [] : [policies.length === 1 ? '1 policy' : `${policies.length} policies`]),
    ...(departments === undefined ? [] : [departments.join(', ')]),
  ];
}

/** A minimum of severity in words. */
export function orWorse(severity: string): string {
  return severity === 'critical' ? 'critical only' : `${severity} or worse`;
}

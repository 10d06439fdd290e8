/** Where an incident can stand. */
export const INCIDENT_STATUSES = ['open', 'acknowledged', 'resolved'] as const;

/** Where an incident stands: nobody has looked yet, somebody is on it, it is over. */
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

/** What kinds of incidents there are. */
export const INCIDENT_TYPES = ['policy_violation', 'anomaly'] as const;

/** What an incident is about. */
export type IncidentType = (typeof INCIDENT_TYPES)[number];

/** Where people may take an incident from each status. Resolved is final: what comes then is another incident. */
const NEXT = {
  open: ['acknowledged', 'resolved'],
  acknowledged: ['open', 'resolved'],
  resolved: [],
} as const satisfies Record<IncidentStatus, readonly IncidentStatus[]>;

/** Whether people may take an incident from one status to another. */
export function mayBecome(from: IncidentStatus, to: IncidentStatus): boolean {
  const next: readonly IncidentStatus[] = NEXT[from];
  return next.includes(to);
}

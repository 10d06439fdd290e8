/** The statuses of an incident. */
export const INCIDENT_STATUSES = ['open', 'acknowledged', 'resolved'] as const;

/** The status of an incident. */
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

/** The types of incidents. */
export const INCIDENT_TYPES = ['policy_violation', 'anomaly'] as const;

/** The type of an incident. */
export type IncidentType = (typeof INCIDENT_TYPES)[number];

/** Status changes that people may make. `resolved` is final: a later occurrence opens a new incident. */
const NEXT = {
  open: ['acknowledged', 'resolved'],
  acknowledged: ['open', 'resolved'],
  resolved: [],
} as const satisfies Record<IncidentStatus, readonly IncidentStatus[]>;

/** Whether people may change an incident from one status to another. */
export function mayBecome(from: IncidentStatus, to: IncidentStatus): boolean {
  const next: readonly IncidentStatus[] = NEXT[from];
  return next.includes(to);
}

import type { JsonObject, Severity } from '#core';
import type { NewEvent } from '#outbox';
import type { IncidentType } from '../incident/incident-status.js';

/** An event that opens an incident or is counted in one. */
export interface Occurrence {
  readonly type: IncidentType;
  readonly severity: Severity;
  /** The user's id, or the id or email address of the request. Compared without case. */
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly policyId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  /** Details. An incident keeps those of its first occurrence. */
  readonly details: JsonObject;
  /** Time of the occurrence. */
  readonly at: Date;
  /** A UUID of version 7, unique within an incident. */
  readonly decisionId: string;
  /** The action of the decision; null if there was none. */
  readonly action: string | null;
  /** Creates the event of the occurrence, with the id of its incident. */
  readonly event: (incidentId: string) => NewEvent;
}

/** The incident of an occurrence. */
export interface RaisedIncident {
  readonly incidentId: string;
  /** Whether this occurrence opened it. */
  readonly isNew: boolean;
}

/** Occurrences of one incident. */
export interface OccurrenceGroup {
  /** The first one, by time. */
  readonly first: Occurrence;
  readonly last: Occurrence;
  readonly severity: Severity;
  readonly count: number;
}

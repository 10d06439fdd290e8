import type { JsonObject, Severity } from '#core';
import type { NewEvent } from '#outbox';
import type { IncidentType } from '../incident/incident-status.js';

/** An event that opens an incident, or is counted in an existing incident. */
export interface Occurrence {
  readonly type: IncidentType;
  readonly severity: Severity;
  /** The user's id, or the id or e-mail address in the request. Compared case-insensitively. */
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly policyId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  /** Details of the occurrence. An incident keeps the details of its first occurrence. */
  readonly details: JsonObject;
  /** Time of the occurrence. */
  readonly at: Date;
  /** Id of the decision, or of the anomaly: a UUID version 7, unique within an incident. */
  readonly decisionId: string;
  /** The action of the decision; null if there was no decision. */
  readonly action: string | null;
  /** Creates the event of the occurrence. It contains the id of the incident. */
  readonly event: (incidentId: string) => NewEvent;
}

/** The incident of an occurrence. */
export interface RaisedIncident {
  readonly incidentId: string;
  /** Whether this occurrence opened the incident. */
  readonly isNew: boolean;
}

/** Occurrences of one incident. */
export interface OccurrenceGroup {
  /** The first occurrence by time. */
  readonly first: Occurrence;
  readonly last: Occurrence;
  readonly severity: Severity;
  readonly count: number;
}

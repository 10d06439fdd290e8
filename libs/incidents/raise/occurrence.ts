import type { JsonObject, Severity } from '#core';
import type { NewEvent } from '#outbox';
import type { IncidentType } from '../incident/incident-status.js';

/** Something that happened and that a person should look at. */
export interface Occurrence {
  readonly type: IncidentType;
  readonly severity: Severity;
  /** Who it is about: the user's id, or what the request named. Compared without case. */
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly policyId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  /** What helps to judge it. Kept of the first occurrence of an incident. */
  readonly details: JsonObject;
  /** When it happened. */
  readonly at: Date;
  /** A UUID of version 7; an incident has one occurrence of each. */
  readonly decisionId: string;
  /** What was decided then; null where nothing was. */
  readonly action: string | null;
  /** The event that tells of it, once the incident is known. */
  readonly event: (incidentId: string) => NewEvent;
}

/** Which incident an occurrence was counted in. */
export interface RaisedIncident {
  readonly incidentId: string;
  /** Whether this very occurrence opened it. */
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

import { presenterOf } from '#access';
import type { JsonObject } from '#core';
import type { Incident } from '../incident/incident.entity.js';
import type { IncidentOutcome } from '../manage/incident.service.js';
import type { TimelineItem } from '../timeline/timeline-item.js';
import { IncidentResponseDto, type IncidentOutcomeDto, type IncidentViewDto } from './incident-response.dto.js';

/** An incident as the API shows it. */
export const presentIncident = presenterOf(IncidentResponseDto);

/**
 * An incident for the user whom it concerns. Operands of conditions are removed, because they may name other people.
 * The user's own values stay.
 */
export function presentOwnIncident(incident: Incident): IncidentResponseDto {
  const shown = presentIncident(incident);
  const { matched_conditions: conditions } = shown.details;
  if (!Array.isArray(conditions)) return shown;
  const details = { ...shown.details, matched_conditions: conditions.map(withoutOperand) };
  return Object.assign(shown, { details });
}

/**
 * The presenter for a caller.
 * @param own the only user whose incidents the caller may read; undefined if the caller may read all
 */
export function presenterFor(own: string | undefined): (incident: Incident) => IncidentResponseDto {
  return own === undefined ? presentIncident : presentOwnIncident;
}

/** An incident with its newest timeline entries. */
export function presentView(shown: IncidentResponseDto, timeline: TimelineItem[]): IncidentViewDto {
  return Object.assign(shown, { timeline });
}

/** The result of the change of one incident among several. */
export function presentOutcome(outcome: IncidentOutcome): IncidentOutcomeDto {
  if (outcome.outcome !== 'changed') return { ...outcome, incident: null };
  return { id: outcome.id, outcome: 'changed', message: null, incident: presentIncident(outcome.incident) };
}

function withoutOperand(condition: JsonObject[string]): JsonObject[string] {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) return condition;
  return Object.fromEntries(Object.entries(condition).filter(([key]) => key !== 'operand'));
}

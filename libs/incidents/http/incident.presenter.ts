import { presenterOf } from '#access';
import type { JsonObject } from '#core';
import type { Incident } from '../incident/incident.entity.js';
import type { IncidentOutcome } from '../manage/incident.service.js';
import type { TimelineItem } from '../timeline/timeline-item.js';
import { IncidentResponseDto, type IncidentOutcomeDto, type IncidentViewDto } from './incident-response.dto.js';

/** An incident as the API shows it. */
export const presentIncident = presenterOf(IncidentResponseDto);

/**
 * The same for the person whom it is about: what the conditions were compared with is left out, for it may name other
 * people. Their own values stay.
 */
export function presentOwnIncident(incident: Incident): IncidentResponseDto {
  const shown = presentIncident(incident);
  const { matched_conditions: conditions } = shown.details;
  if (!Array.isArray(conditions)) return shown;
  const details = { ...shown.details, matched_conditions: conditions.map(withoutOperand) };
  return Object.assign(shown, { details });
}

/** How incidents are shown to who may read everybody's, or only those about one user. */
export function presenterFor(own: string | undefined): (incident: Incident) => IncidentResponseDto {
  return own === undefined ? presentIncident : presentOwnIncident;
}

/** An incident as it is shown, with what happened last. */
export function presentView(shown: IncidentResponseDto, timeline: TimelineItem[]): IncidentViewDto {
  return Object.assign(shown, { timeline });
}

/** What came of one incident of several. */
export function presentOutcome(outcome: IncidentOutcome): IncidentOutcomeDto {
  if (outcome.outcome !== 'changed') return { ...outcome, incident: null };
  return { id: outcome.id, outcome: 'changed', message: null, incident: presentIncident(outcome.incident) };
}

function withoutOperand(condition: JsonObject[string]): JsonObject[string] {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) return condition;
  return Object.fromEntries(Object.entries(condition).filter(([key]) => key !== 'operand'));
}

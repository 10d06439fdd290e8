import type { JsonObject } from '#core';
import { wireEventId } from '#outbox';
import type { ActorStamp } from '../incident/stamp.js';
import type { TimelineKind } from './incident-entries.js';
import type { TimelineRow } from './timeline-rows.js';
import type { EventFacts } from './timeline-sources.js';

/** A timeline entry as the API shows it. */
export interface TimelineItem {
  /** Id of the entry. For an occurrence, the id of its decision. */
  id: string;
  kind: TimelineKind;
  at: string;
  /** The author; null for an occurrence. */
  actor: ActorStamp | null;
  data: JsonObject;
}

/** @param facts data of the timeline sources, by event id */
export function presentItem(row: TimelineRow, facts: ReadonlyMap<string, EventFacts>): TimelineItem {
  const { id, kind, at, actor, event_id, action } = row;
  if (event_id === null) return { id, kind, at, actor, data: row.data ?? {} };
  const known = { decision_id: id, event_id: wireEventId(event_id, 'policy_violation'), action };
  return { id, kind, at, actor, data: { ...known, ...facts.get(event_id) } };
}

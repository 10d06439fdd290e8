import type { JsonObject } from '#core';
import { wireEventId } from '#outbox';
import type { ActorStamp } from '../incident/stamp.js';
import type { TimelineKind } from './incident-entries.js';
import type { TimelineRow } from './timeline-rows.js';
import type { EventFacts } from './timeline-sources.js';

/** One thing that happened with an incident, as it is shown. */
export interface TimelineItem {
  /** Of an occurrence the id of its decision. */
  id: string;
  kind: TimelineKind;
  at: string;
  /** Who did it; null for an occurrence. */
  actor: ActorStamp | null;
  data: JsonObject;
}

/** `facts`: what is known of the events of occurrences, by event. */
export function presentItem(row: TimelineRow, facts: ReadonlyMap<string, EventFacts>): TimelineItem {
  const { id, kind, at, actor, event_id, action } = row;
  if (event_id === null) return { id, kind, at, actor, data: row.data ?? {} };
  const known = { decision_id: id, event_id: wireEventId(event_id, 'policy_violation'), action };
  return { id, kind, at, actor, data: { ...known, ...facts.get(event_id) } };
}
